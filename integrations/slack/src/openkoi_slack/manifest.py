"""The app manifest that the user pastes into Slack's page of apps."""

MANIFEST = """\
display_information: {name: OpenKoi}
features:
  bot_user: {display_name: koi, always_online: true}
  app_home: {messages_tab_enabled: true, messages_tab_read_only_enabled: false}
oauth_config:
  scopes:
    bot: [app_mentions:read, canvases:read, canvases:write, channels:history, channels:read, chat:write, files:read,
          files:write, groups:history, groups:read, im:history, im:read, im:write, mpim:history, mpim:read,
          reactions:read, reactions:write]
settings:
  event_subscriptions:
    bot_events: [app_mention, message.channels, message.groups, message.im, message.mpim, reaction_added]
  interactivity: {is_enabled: true}
  socket_mode_enabled: true
"""
ASK_TOKEN = f"""\
Open https://api.slack.com/apps, choose Create New App, From a manifest, and paste:

{MANIFEST}
Install the app to your workspace, and paste its Bot User OAuth Token (xoxb-...)"""
ASK_APP_TOKEN = (
    "Under Basic Information, App-Level Tokens, create a token with the scope connections:write, and paste it"
    " (xapp-...)"
)
