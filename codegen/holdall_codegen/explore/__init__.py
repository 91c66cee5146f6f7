"""The explorer: a project's plan, objects and laws as one JSON model, shown by one HTML page.

`model` collects what the page shows, `page` puts it into the template, and `server` serves it while
a project is being developed. docs/explore.md describes the model.
"""
