"""What the speed experiment measures: this project's own items, what they are measured against, and how."""
