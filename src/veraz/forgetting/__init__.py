"""WHAT IS FORGOTTEN: nothing of it is left, and nothing of it is sent to a model again (docs/forgetting.md).

db/always/8_forgetting.sql   begins it, in the transaction that deletes: answers are blanked, words are gathered
fingerprint                  tells the words of what was forgotten from everybody's words
gather                       machines and end users of channels: what is theirs goes, and their words are gathered
sweep                        looks for those words in everything that may repeat them
job                          gather → sweep → receipt, again from where it stopped
service                      the verbs: forget a machine, an end user; read the receipts
"""
