"""A QUOTE IS LOOKED AT: its text with what stands around it, its place, the page or the rows it stands in.

model       what somebody sees of a quotation
reading     a document's text as people corrected it
view        a stretch of a document's text as such a view
blocks      a document's blocks as somebody sees them
grid        the rows around a row
document    a document as a whole, some blocks at a time
texts       what is stored of documents that somebody may look into
forgotten_pages  pages of which no picture is shown, because something on them was forgotten
pictures    pages drawn with their marks, kept for a while
drawing_slots  how many are drawn at once
failures    pages that could not be drawn lately
source_states  what became of many quotations at once
service     who may look: by chunk, or by a signed link
"""
