-- One POST, again and again; the percentiles in microseconds as one line of JSON.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, */*"
wrk.headers["Accept-Encoding"] = "gzip"

function init(arguments)
  local file = io.open(arguments[1], "rb")
  wrk.body = file:read("*a")
  file:close()
end

function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write
      + summary.errors.status + summary.errors.timeout
  io.write(string.format(
    '\n{"p50": %d, "p99": %d, "requests": %d, "microseconds": %d, "failed": %d}\n',
    latency:percentile(50), latency:percentile(99), summary.requests, summary.duration, failed))
end
