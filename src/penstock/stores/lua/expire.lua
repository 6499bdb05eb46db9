-- KEYS[1]: entry. ARGV: schema version, the caller's time. Returns 1 if the entry had expired.
local fields = redis.call('HMGET', KEYS[1], 'v', 'expires')
local expires = tonumber(fields[2] or '')
if fields[1] == ARGV[1] and expires and expires <= tonumber(ARGV[2]) then
  return redis.call('DEL', KEYS[1])
end
return 0
