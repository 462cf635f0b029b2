"""WHAT they own.

configs          how a knowledge base is cut and embedded, how an agent retrieves
model            agents, knowledge bases, assignments
spaces           embedding spaces
knowledge_bases  creating, changing, archiving, deleting them
agents           the same for agents, and an agent's own knowledge base
assignments      which agent reads which knowledge base
reading_set      what an agent may read for a caller: the one rule of isolation
"""
