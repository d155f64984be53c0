"""List the formats of vendors' keys that gitleaks does not have, or has in a narrower form."""

# Formats as the vendors document them. Keywords in small letters, then the expression after START.
PREFIXES = {
    "openai-style-key": ("sk-", r"sk-(?:[a-z]{2,8}\d{0,2}-)?[\w-]{20,}"),
    "google-api-key": ("aiza", r"AIza[\w-]{35}"),
    "google-oauth": ("ya29. gocspx- 1//0", r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})"),
    "github-token": ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"(?:gh[pousr]_\w{30,}|github_pat_\w{22,})"),
    "gitlab-token": ("gl", r"gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[\w.-]{16,}"),
    "slack-token": ("xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,})"),
    "aws-access-key": ("akia asia abia acca aroa", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    "notion-token": ("ntn_ secret_", r"(?:ntn_\w{20,}|secret_[A-Za-z0-9]{40,})"),
    "model-provider-key": (
        "gsk_ xai- hf_ r8_ pplx- nvapi- csk- fw_ tvly- pcsk_ jina_ lsv2_ api_org_ pa- sk_ key_ fc- e2b_ tgp_",
        r"(?:gsk_\w{20,}|xai-\w{20,}|hf_\w{30,}|api_org_\w{30,}|r8_\w{30,}|pplx-\w{30,}|nvapi-[\w-]{30,}|csk-\w{30,}"
        r"|fw_\w{20,}|tvly-[\w-]{20,}|pcsk_\w{30,}|jina_\w{30,}|lsv2_(?:pt|sk)_\w{20,}|pa-[\w-]{40,}|sk_[a-f0-9]{40,}"
        r"|key_[a-f0-9]{40,}|fc-[a-f0-9]{32}|e2b_[a-f0-9]{32,}|tgp_v\d_[\w-]{30,})",
    ),
    "npm-token": ("npm_", r"npm_\w{36}"),
    "pypi-token": ("pypi-", r"pypi-[\w-]{40,}"),
    "stripe-key": ("_live_ _test_ whsec_", r"(?:[sr]k_(?:live|test)_\w{10,}|whsec_[\w+/=]{20,})"),
    "square-token": ("sq0 eaaa", r"(?:sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{56,})"),
    "shopify-token": ("shp", r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}"),
    "vault-token": ("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    "terraform-token": (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{40,}"),
    "databricks-token": ("dapi dkea dose", r"(?:dapi|dkea|dose)[0-9a-f]{32}(?:-\d)?"),
    "grafana-token": ("glsa_ glc_", r"(?:glsa_\w{32,}|glc_[\w+/=]{32,})"),
    "linear-key": ("lin_", r"lin_(?:api|oauth)_\w{32,}"),
    "postman-key": ("pmak-", r"PMAK-[\da-f]{24}-[\da-f]{34}"),
    "new-relic-key": ("nrak nrjs nrii nral nraa", r"NR(?:AK|JS|II|AL|AA|RA)-?[\w-]{15,}"),
    "sentry-token": ("sntry", r"sntry[su]_[\w+/=.-]{30,}"),
    "doppler-token": ("dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?\w{40,44}"),
    "deploy-platform-token": (
        "nfp_ sbp_ rnd_ dop_v1_ doo_v1_ dor_v1_ pul- fo1_ pscale_ napi_ ep_ vcp_ vck_ re_",
        r"(?:nf[pcoubr]_\w{36,}|sbp_(?:v\d_)?[\da-f]{40}|sb_(?:secret|publishable)_[\w-]{20,}|rnd_\w{20,}|do[por]_v1_[\da-f]{64}"
        r"|pul-[\da-f]{40}|fo1_[\w-]{43}|pscale_(?:tkn|pw|oauth)_[\w=.-]{30,}|napi_\w{40,}|vc[pkai]_\w{24,}|re_\w{8,}_\w{20,})",
    ),
    "package-registry-token": (
        "rubygems_ cio oy2 dckr_ clojars_",
        r"(?:rubygems_[\da-f]{48}|cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}|dckr_(?:pat|oat)_[\w-]{20,}|CLOJARS_[\da-z]{60})",
    ),
    "atlassian-token": ("atatt atctt atbb", r"(?:AT[AC]TT3[\w=-]{20,}|ATBB[\w]{20,})"),
    "developer-tool-token": (
        "figd_ figu_ tskey- ops_ sqp_ sqa_ squ_ ccipat_ bkua_ sgp_ pnu_ ntfy tk_ cfpat- sdk- mob- api- dt0 ddp_ pubkey"
        " crsr_",
        r"(?:fig[duoh]_[\w-]{20,}|tskey-[a-z]+-\w{6,}-?\w{10,}|ops_eyJ[\w+/=-]{50,}|sq[pau]_[\da-f]{40}|CCIPAT_\w{10,}_[\da-f]{20,}"
        r"|bkua_[\da-f]{40}|sgp_(?:[\da-fA-F]{16}_|local_)?[\da-fA-F]{40}|pnu_\w{36}|CFPAT-[\w-]{40,}"
        r"|(?:sdk|mob|api)-[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|dt0[a-z]\d\d\.\w{20,}\.\w{60,}|ddp_\w{34,}|crsr_[\da-f]{64})",
    ),
    "mail-service-key": (
        "sg. key- xkeysib- xsmtpsib- -us mlsn.",
        r"(?:SG\.[\w-]{16,}\.[\w-]{30,}|key-[\da-f]{32}|xk?(?:ey|smtp)sib-[\da-f]{60,}-\w{16}|[\da-f]{32}-us\d{1,2}|mlsn\.[\da-f]{64})",
    ),
    "telegram-bot-token": (":a", r"(?:bot)?(\d{8,10}:A[\w-]{34}(?![\w-]))"),
    "discord-bot-token": (".", r"[MNO][A-Za-z\d_-]{22,28}\.[\w-]{6}\.[\w-]{25,40}"),
    "mapbox-token": ("pk.eyj sk.eyj tk.eyj", r"[pst]k\.eyJ[\w-]{20,}\.[\w-]{20,}"),
    "plaid-token": ("access-", r"access-(?:sandbox|development|production)-[\da-f-]{36}"),
    "airtable-token": ("pat", r"pat\w{14}\.[\da-f]{64}"),
    "jwt": (
        "eyj",
        r"(?:(?<![\w-]{3})|(?<=\\u[\da-f]{4}))eyJ[\w-]{10,}\.(?:eyJ[\w-]{10,}(?:\.[\w/=\\-]*)*|[\w-]{10,}(?:\.[\w-]+)+)",
    ),
    "openshift-token": ("sha256~", r"sha256~[\w-]{40,}"),
    "artifactory-key": (
        "akc ap2 ap3 ap5 ap6 apa apb cmvm",
        r"(?:AKC[\w]{10,}|AP[\dABCDEF][a-zA-Z0-9]{60,}|cmVmd\w{50,})",
    ),
    "yandex-key": ("aqvn y0_ t1.", r"(?:AQVN[\w-]{35,38}|y0_[\w-]{50,}|t1\.[A-Z0-9][\w-]+=?\.[\w-]{80,})"),
    "adyen-key": ("aqe", r"AQE[\w]{20,}[\w+/=.-]{20,}"),
    "age-key": ("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    "bedrock-key": ("bedrock-api-key- absk", r"(?:bedrock-api-key-[\w+/=]{20,}|ABSK[\w+/]{60,}={0,2})"),
    "workspace-token": (
        "ssws avns_ asana",
        r"(?:SSWS 00[\w-]{40}|AVNS_[\w-]{15,}|1/\d{13,16}:[\da-f]{32})",
    ),
    "zapier-style-hook": ("whk_ evtsec_", r"(?:whk|evtsec)_\w{20,}"),
}
