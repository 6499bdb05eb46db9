"""Every setting, validated once: the policy, and the table that says how each one is written."""
