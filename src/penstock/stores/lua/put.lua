-- KEYS[1]: entry. ARGV: schema version, milliseconds to live, then field and value in turn.

-- When memory is short, Redis refuses an HSET only as the first write of a script. If it does so
-- here, nothing has changed. After a DEL, the old entry would be gone, and the new one admitted.
redis.call('HSET', KEYS[1], 'v', ARGV[1])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'v', ARGV[1])

-- A call takes some 8,000 arguments at most.
for first = 3, #ARGV, 4000 do
  redis.call('HSET', KEYS[1], unpack(ARGV, first, math.min(first + 3999, #ARGV)))
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
