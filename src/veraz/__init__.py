"""Veraz: knowledge for AI agents. Answers only from your documents, with the passage behind every claim."""
