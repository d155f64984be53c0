"""What the agent `fixer` fixes."""

print("Good mroning")
