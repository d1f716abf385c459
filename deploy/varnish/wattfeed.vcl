# wattfeed behind Varnish 7.1 or later:
#
#   varnishd -f wattfeed.vcl -p http_gzip_support=off -p backend_idle_timeout=20 -p pipe_timeout=90
#
# http_gzip_support: the server compresses by itself, and gives each form an ETag of its own. With Varnish's support on there is no
# Brotli, and ETags are weakened. backend_idle_timeout: below the server's own (twice REQUEST_DEADLINE_MS and 5 s). pipe_timeout: a
# stream is answered within 60 s, and then has a sign of life every 15 s. Each stream takes a thread; where there are thousands,
# nginx sends them to the servers directly.
#
# What may be kept, and for how long, the server says: without CACHE_MAX_AGE_S, nothing of the chain.
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

# One URL is read from one server while that is ready: it is warm for it, and versions don't run backwards.
sub vcl_init {
    new servers = directors.shard();
    servers.add_backend(server1);
    servers.add_backend(server2);
    servers.reconfigure();
}

sub vcl_recv {
    # There is no login, and no answer depends on them.
    unset req.http.Cookie;
    unset req.http.Authorization;

    # What is past its age is used only where no server is ready.
    set req.backend_hint = servers.backend(resolve=LAZY);
    if (std.healthy(req.backend_hint)) {
        set req.grace = 0s;
    }

    # Those of one server, at random: Prometheus asks each server itself.
    if (req.url ~ "^/metrics(\?|$)") {
        return (synth(404, "not served here"));
    }
    # The server refuses them; PURGE is one of them.
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Piped: at once, and a client that takes too little is the server's to close, not kept in memory here.
    if (req.method == "GET" && req.url ~ "^/v1/stream(\?|$)") {
        if (!std.healthy(req.backend_hint)) {
            return (synth(503, "no server is available; retry later"));
        }
        return (pipe);
    }

    # Lengths and ranges are those of the uncompressed answer, as without Varnish.
    if (req.method == "HEAD" || req.http.Range) {
        unset req.http.Accept-Encoding;
    }
    # Browsers list more than the server has. Where codings are ranked, the server chooses.
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
    # Streams have few URLs and are never stored: spreads them over the servers.
    if (req.url ~ "^/v1/stream(\?|$)") {
        hash_data(req.xid);
    }
}

sub vcl_pipe {
    set bereq.backend = servers.backend(by=HASH);
}

sub vcl_backend_fetch {
    # The second try asks another server.
    set bereq.backend = servers.backend(by=HASH, alt=bereq.retries, healthy=ALL);
    set bereq.connect_timeout = 1s;
    # A request may wait REQUEST_DEADLINE_MS for a state root and again for its reads.
    set bereq.first_byte_timeout = 25s;
    set bereq.between_bytes_timeout = 25s;
}

sub vcl_backend_response {
    # Another server may reach another node.
    if (beresp.status == 502 && bereq.retries == 0 && (bereq.method == "GET" || bereq.method == "HEAD")) {
        return (retry);
    }
    # Answers are whole before they are sent, so that one that breaks off can be asked for again.
    set beresp.do_stream = false;
    if (beresp.status >= 400) {
        set beresp.uncacheable = true;
        set beresp.ttl = 1s;
        return (deliver);
    }
    # What is past its age is asked for by its ETag, and used as it is for a minute where no server is ready.
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
