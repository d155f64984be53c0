"""What every part of OpenKoi uses: private files, masked secrets, arguments of tools, and calls of plugins."""
