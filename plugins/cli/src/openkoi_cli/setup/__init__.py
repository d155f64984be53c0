"""From nothing to a model that answers, for OpenKoi: what is found, what is asked, what is saved."""
