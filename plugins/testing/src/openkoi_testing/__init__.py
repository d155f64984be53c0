"""What plugin authors test with: a real run over a scripted model, fake servers, contract suites."""
