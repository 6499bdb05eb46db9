-- KEYS[1]: entry. ARGV: schema version, milliseconds to live, then field and value in turn.

-- The first write is one that Redis refuses when memory is short. Refused here, nothing has
-- changed; after a DEL, the old entry would be gone and the new one let in over the limit.
redis.call('HSET', KEYS[1], 'v', ARGV[1])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'v', ARGV[1])

-- A call takes some 8,000 arguments at most.
for first = 3, #ARGV, 4000 do
  redis.call('HSET', KEYS[1], unpack(ARGV, first, math.min(first + 3999, #ARGV)))
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
