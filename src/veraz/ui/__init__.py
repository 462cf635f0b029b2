"""THE PAGES: a door for people, Spanish first, on the services in this process.

mount      pages on the application of the API
visit      who looks at a page, in which language; handlers that check the session again
spanish    what the pages say, in Spanish
theme      colours, and how things look
shell      what surrounds every page: navigation, project, language, dark mode
parts      small things several pages show
tables     lists that the server sorts and cuts into pages
charts     plots
picking    documents found by name
source     the document beside an answer, at the words that prove a claim
pages      every page and its address; one module each, what belongs to a page beside it (agent_exam, exam_questions, …)
login      signing in and out
"""
