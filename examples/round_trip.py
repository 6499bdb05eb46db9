"""The round trip in the README. A test holds its printed output to what the README shows."""

from penstock import Call, Gate

gate = Gate()


def orders(arguments):
    return [{"id": n, "total": n * 1.5, "open": n % 40 == 0} for n in range(5000)]


probe = gate.call(Call("orders"), orders).value
print(probe["count"], probe["total_size"], probe["columns"])
print(probe["available_modes"])

second_call = Call(
    "orders",
    {
        "continuation_token": probe["continuation_token"],
        "mode": "sql",
        "query": "SELECT count(*) AS n, sum(total) AS worth FROM result WHERE open",
    },
)
print(gate.call(second_call, orders).value["items"])
gate.close()
