-- name: charge
select veraz.settle_credits(%(about)s, %(credits)s, 'embeddings', %(model)s, %(tokens)s, %(cost)s)
