"""Drawing the table; apart from the rules, and imported only when something is drawn."""
