"""JOBS: work that outlives the request that asked for it, in PostgreSQL.

model      what a job is: its status, its stages, the counts the console shows
retry      which failures are tried again, and when
queue      enqueue → claim → heartbeat, report → finish | fail | release; sweep for workers that vanished
console    what people see and do: list, stats, retry, cancel, purge, history
handler    what a kind of job implements, and the handle it gets on its job
run        one job from claim to outcome
worker     the loop that claims jobs, keeps their leases and lets go of them in good order

Nothing is lost: a job is a row, enqueued in the transaction of the row it is about, and only a commit ends it. A worker
holds a job by a lease it renews; when it vanishes the lease runs out and the job is handed out again.
Nothing counts twice: `finish` inside the handler's last transaction makes "stored" and "done" one commit, and it
fails when the lease (worker and number of claims) is no longer held.

Fair between tenants. Each free slot goes to the tenant with the fewest jobs running, then to the one served longest
ago, so tenants take turns however much each has waiting. Slots full of one tenant's long jobs cannot keep another
waiting either: every worker has extra slots (half as many again, at least one) that only serve tenants with nothing
running. A tenant's first job therefore starts at once (NOTIFY) or at the next poll (under 2 seconds) as long as fewer
newcomers than extra slots arrive together; beyond that, newcomers come before everybody else at each job that ends.
"""
