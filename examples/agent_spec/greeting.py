"""The program that the agent `fixer` fixes."""

print("Good mroning")
