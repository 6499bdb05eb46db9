# Expected: ended
import decimal
decimal.Decimal(10) ** 999_999_999
