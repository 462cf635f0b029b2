-- name: settle
select veraz.settle_credits(%(about)s, %(credits)s, %(reason)s, %(model)s, %(tokens)s, %(cost)s)

-- name: user_name
select user_name from veraz.licence where machine_id = veraz.current_machine()
