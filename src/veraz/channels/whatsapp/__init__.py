"""A WHATSAPP MESSAGE IS ANSWERED

signature   is it Meta who calls, for this number?
payload     Meta's JSON → messages and reports of delivery
numbers     which number belongs to which agent, with sealed secrets
receive     the webhook: written down once, acknowledged at once
outbox      what is to be sent: pieces that fit, within 24 hours, from agents, people and programs
deliver     one piece to Meta, sent once as far as anybody can know
turns       the job: one contact's messages in their order, asked and answered
troubles    what Meta's codes mean to people, in both languages
words       what Veraz itself says here, and how WhatsApp writes bold
"""
