"""CONVERSATIONS: the places where people talk with agents without knowing Veraz.

whatsapp/   numbers of the WhatsApp Cloud API: messages in, answers and people's words out
widget/     a script on anybody's web page: visitors without an account ask and are answered
webhooks    who outside hears of which events; deliver sends them, each with a signature
kairo       one call that does what KAIRO's n8n workflow does
"""
