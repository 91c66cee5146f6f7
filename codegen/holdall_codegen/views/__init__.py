"""What is shown of a project: plans, properties, graphs, hooks, stored objects."""
