# wattfeed behind Varnish 7.1 or later:
#
#   varnishd -f wattfeed.vcl -p http_gzip_support=off -p backend_idle_timeout=60 -p pipe_timeout=90
#
# http_gzip_support: the server compresses, with an ETag for each coding. With Varnish's own support, there is no Brotli, and ETags
# are weakened.
# backend_idle_timeout: shorter than the server's IDLE_TIMEOUT_S (75 s).
# pipe_timeout: a stream starts within 60 s, and then has a heartbeat every 15 s.
#
# varnishncsa logs requests as they come. Without queries, it logs no key of EIA: varnishncsa -F '%h %l %u %t "%m %U %H" %s %b'
#
# Each stream takes a thread. If there are thousands, let nginx send them to the servers directly.
#
# The server's Cache-Control decides what is cached, and for how long: without CACHE_MAX_AGE_S, nothing that is read from the chain.
vcl 4.1;

import directors;
import std;

probe ready {
    .request =
        "GET /ready HTTP/1.1"
        "Host: wattfeed"
        "Connection: close";
    .interval = 2s;
    .timeout = 4s;
    .window = 3;
    .threshold = 2;
    .initial = 2;
}

backend server1 { .host = "127.0.0.1"; .port = "4030"; .probe = ready; }
backend server2 { .host = "127.0.0.1"; .port = "4040"; .probe = ready; }

# Each URL is pinned to one server while that is ready, so its cache is warm and versions do not go backwards.
sub vcl_init {
    new servers = directors.shard();
    servers.add_backend(server1);
    servers.add_backend(server2);
    servers.reconfigure();
}

sub vcl_recv {
    # There is no login, so no response depends on these headers.
    unset req.http.Cookie;
    unset req.http.Authorization;

    # Scripts for EIA's API send a key in the query. It changes no answer, and must be in no cache key.
    if (req.url ~ "^/+(eia|v2)(/|\?)") {
        set req.url = regsuball(req.url, "(?i)([?&])api(_|%5f)key=[^&]*", "\1");
        set req.url = regsub(regsuball(req.url, "&&+", "&"), "\?&", "?");
        set req.url = regsub(req.url, "[?&]$", "");
    }

    # Serve stale responses only if no server is ready.
    set req.backend_hint = servers.backend(resolve=LAZY);
    if (std.healthy(req.backend_hint)) {
        set req.grace = 0s;
    }

    # A proxy would return the metrics of a random server. Prometheus scrapes each server directly.
    if (req.url ~ "^/metrics(\?|$)") {
        return (synth(404, "not served here"));
    }
    # The server rejects other methods, including PURGE.
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Piped without buffering. The server closes the streams of slow clients.
    if (req.method == "GET" && req.url ~ "^/v1/stream(\?|$)") {
        if (!std.healthy(req.backend_hint)) {
            return (synth(503, "no server is available; retry later"));
        }
        return (pipe);
    }

    # Lengths and ranges refer to the uncompressed response, as without Varnish.
    if (req.method == "HEAD" || req.http.Range) {
        unset req.http.Accept-Encoding;
    }
    # Normalizes the codings that browsers accept. If they are ranked, the server chooses.
    if (req.http.Accept-Encoding && req.http.Accept-Encoding !~ ";") {
        if (req.http.Accept-Encoding ~ "(?i)(^|[, ])br([, ]|$)") {
            set req.http.Accept-Encoding = "br";
        } else if (req.http.Accept-Encoding ~ "(?i)(^|[, ])gzip([, ]|$)") {
            set req.http.Accept-Encoding = "gzip";
        }
    }
    return (hash);
}

sub vcl_hash {
    # Streams are never cached and share few URLs, so distribute them randomly.
    if (req.url ~ "^/v1/stream(\?|$)") {
        hash_data(req.xid);
    }
}

sub vcl_pipe {
    set bereq.backend = servers.backend(by=HASH);
}

sub vcl_backend_fetch {
    # Retry with another server.
    set bereq.backend = servers.backend(by=HASH, alt=bereq.retries, healthy=ALL);
    set bereq.connect_timeout = 1s;
    # A request may wait REQUEST_DEADLINE_MS for a state root, and the same again for its reads.
    set bereq.first_byte_timeout = 25s;
    set bereq.between_bytes_timeout = 25s;
}

sub vcl_backend_response {
    # Another server may use another node.
    if (beresp.status == 502 && bereq.retries == 0 && (bereq.method == "GET" || bereq.method == "HEAD")) {
        return (retry);
    }
    # Buffer the whole response, so that an interrupted one can be retried.
    set beresp.do_stream = false;
    if (beresp.status >= 400) {
        set beresp.uncacheable = true;
        set beresp.ttl = 1s;
        return (deliver);
    }
    # Revalidate stale responses by their ETag. If no server is ready, serve them for up to a minute.
    set beresp.keep = 10m;
    set beresp.grace = 60s;
}

sub vcl_backend_error {
    if (bereq.retries == 0 && (bereq.method == "GET" || bereq.method == "HEAD")) {
        return (retry);
    }
    set beresp.status = 503;
    set beresp.http.Content-Type = "application/json";
    set beresp.http.Access-Control-Allow-Origin = "*";
    set beresp.http.Cache-Control = "no-store";
    set beresp.http.Retry-After = "2";
    set beresp.body = """{"error":"no server is available; retry later"}""";
    if (bereq.url ~ "^/eia/") {
        set beresp.body = """{"error":"no server is available; retry later","code":503}""";
    }
    return (deliver);
}

sub vcl_deliver {
    unset resp.http.X-Varnish;
}

sub vcl_synth {
    unset resp.http.X-Varnish;
    set resp.http.Content-Type = "application/json";
    set resp.http.Access-Control-Allow-Origin = "*";
    set resp.http.Cache-Control = "no-store";
    if (resp.status == 503) {
        set resp.http.Retry-After = "2";
    }
    set resp.body = {"{"error":""} + resp.reason + """"}""";
    return (deliver);
}
