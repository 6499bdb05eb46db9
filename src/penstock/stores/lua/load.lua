-- KEYS[1]: entry. ARGV: schema version, and for a page its first row and the row after its last.
-- Returns {v, expires, head, index, number of the first chunk, chunk, chunk, ...}: a page in one
-- round trip. A missing field is nil; the caller decides what that means.

local function chunk_numbers(index, start, stop)
  local function first_row(number)
    return (struct.unpack('<I8', index, number * 8 + 1))
  end

  -- The lowest chunk from `low` on whose first row is not below `bound`.
  local function bisect(bound, low)
    local high = #index / 8
    while low < high do
      local middle = math.floor((low + high) / 2)
      if first_row(middle) < bound then low = middle + 1 else high = middle end
    end
    return low
  end

  local first = math.max(0, bisect(start + 1, 0) - 1)
  return first, bisect(stop, first) - 1
end

local fields = redis.call('HMGET', KEYS[1], 'v', 'expires', 'head', 'index')
if not fields[1] and redis.call('EXISTS', KEYS[1]) == 0 then
  return false
end

local index = fields[4]
local reply = {fields[1], fields[2], fields[3], index, 0}
local readable = fields[1] == ARGV[1] and index and #index > 0 and #index % 8 == 0
if readable and ARGV[2] then
  local start, stop = tonumber(ARGV[2]), tonumber(ARGV[3])
  if start < stop then
    local first, last = chunk_numbers(index, start, stop)
    reply[5] = first
    for number = first, last do
      reply[#reply + 1] = redis.call('HGET', KEYS[1], string.format('%.0f', number))
    end
  end
end
return reply
