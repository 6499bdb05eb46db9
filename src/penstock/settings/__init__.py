"""Every setting: the policy that holds their values, and the table that defines them."""
