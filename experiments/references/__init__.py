"""What the speed experiment measures against: the same game written in other ways, and other environments."""
