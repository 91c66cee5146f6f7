"""The explorer: a project's plan, objects and laws as one JSON model, shown by one HTML page.

`model` collects what the page shows, `page` puts it into the template, `server` answers a browser
while a project is being developed. docs/explore.md describes the model.
"""
