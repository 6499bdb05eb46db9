-- KEYS[1]: entry. ARGV: schema version, new expiry, the caller's latest time, longest time to live.
local fields = redis.call('HMGET', KEYS[1], 'v', 'expires')
local old, new = tonumber(fields[2] or ''), tonumber(ARGV[2])
if fields[1] ~= ARGV[1] or not old or old <= tonumber(ARGV[3]) then
  return 0
end

redis.call('HSET', KEYS[1], 'expires', ARGV[2])
-- Move the expiry by the difference, so that it depends on no clock, the caller's or this server's.
local left = redis.call('PTTL', KEYS[1]) + (new - old) * 1000
if left ~= left then left = math.huge end  -- both are infinite: the difference is not a number
left = math.max(1, math.min(left, tonumber(ARGV[4])))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
return 1
