-- name: settle
select veraz.settle_credits(%(about)s, %(credits)s, %(reason)s, %(model)s, %(tokens)s, %(cost)s)
