-- name: balance
select coalesce((select credits from veraz.credit_balance where tenant_id = (select veraz.current_tenant())), 0)

-- name: charge
select veraz.settle_credits(%(about)s, %(credits)s, %(reason)s, %(model)s, %(tokens)s, %(cost)s)
