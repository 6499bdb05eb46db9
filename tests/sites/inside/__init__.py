"""Programs that run in a site's own Python, and write what they find as JSON."""
