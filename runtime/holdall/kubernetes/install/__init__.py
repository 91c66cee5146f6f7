"""install: make a cluster convert with a webhook, once that is ready, checked and trusted."""
