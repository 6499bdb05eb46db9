"""The app of the site: devices at sites, and reports of many kilobytes."""
