"""WHAT IS FORGOTTEN: nothing of it is left, and nothing of it is sent to a model again (docs/forgetting.md).

db/always/8_forgetting.sql   begins it, in the transaction that deletes: answers are blanked, words are gathered
fingerprint                  tells the words of what was forgotten from everybody's words
gather                       machines and people: what is theirs goes by whose it is, and what they are called is gathered
elsewhere                    tells what something that stays holds too: that is taken from nobody
sweep                        looks for the rest in everything that may repeat it
job                          gather → sweep → receipt, again from where it stopped
service                      the verbs: forget a machine, an end user; read the receipts
"""
