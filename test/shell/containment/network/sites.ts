import { spawn } from "node:child_process";
import type http from "node:http";
import { gzipSync } from "node:zlib";

import { sha256Of, tarGzOf, zipOf } from "./archives.js";

/** What a registry serves, by path. */
export type Site = ReadonlyMap<string, string | Buffer>;

export const PACKAGES = 300;
const REGISTRY = "http://registry.example";

/** Each line of its report begins with what it reached. */
const THIEF = `
exec >report.txt 2>/dev/null
try() { name=$1; shift; if timeout 5 "$@" >/dev/null; then echo "reached $name"; else echo "tried $name"; fi; }
try key cat HOME_FOLDER/.ssh/id_ed25519
try home cat HOME_FOLDER/diary.txt
try npmrc grep -q hunter2 HOME_FOLDER/.npmrc
try environment sh -c 'env | grep hunter2'
try secret cat ../../.env
try host curl -sf http://other.example/
try host-header curl -sf -H 'Host: other.example' http://registry.example/other
try direct curl -sf --noproxy '*' http://registry.example/
try names getent hosts registry.example
try loopback curl -sf --noproxy '*' http://127.0.0.1:LISTENING/
try loopback-by-proxy curl -sf --noproxy '' -x http://127.0.0.1:3128 http://127.0.0.1:LISTENING/
try metadata curl -sf http://169.254.169.254/latest/meta-data/
try private curl -sf http://inside.example/
`;

export function npmRegistry(places: Readonly<Record<string, string>>): Site {
    const script = Object.entries(places).reduce(
        (text, [name, value]) => text.replaceAll(name, value),
        THIEF
    );
    const site = new Map<string, string | Buffer>();
    for (let index = 0; index < PACKAGES; index++) {
        const name = index === 0 ? "thief" : `small-${index}`;
        const scripts = index === 0 ? { install: "sh ./steal.sh" } : {};
        const manifest = { name, version: "1.0.0", scripts };
        const archive = tarGzOf({
            "package/package.json": JSON.stringify(manifest),
            "package/index.js": `module.exports = ${index};\n`,
            ...(index === 0 && { "package/steal.sh": script }),
        });
        const tarball = `${REGISTRY}/${name}/-/${name}-1.0.0.tgz`;
        const versions = { "1.0.0": { ...manifest, dist: { tarball } } };
        site.set(`/${name}`, JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
        site.set(new URL(tarball).pathname, archive);
    }
    return site;
}

export function pythonIndex(): Site {
    const wheel = zipOf({
        "little.py": "VALUE = 7\n",
        "little-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: little\nVersion: 1.0\n",
        "little-1.0.dist-info/WHEEL":
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "little-1.0.dist-info/RECORD":
            "little.py,,\nlittle-1.0.dist-info/METADATA,,\nlittle-1.0.dist-info/WHEEL,,\nlittle-1.0.dist-info/RECORD,,\n",
    });
    const file = "little-1.0-py3-none-any.whl";
    return new Map<string, string | Buffer>([
        ["/simple/little/", `<a href="/files/${file}#sha256=${sha256Of(wheel)}">${file}</a>`],
        [`/files/${file}`, wheel],
    ]);
}

/** https://doc.rust-lang.org/cargo/reference/registry-index.html */
export function cargoRegistry(): Site {
    const crate = tarGzOf({
        "little-1.0.0/Cargo.toml":
            '[package]\nname = "little"\nversion = "1.0.0"\nedition = "2021"\n',
        "little-1.0.0/src/lib.rs": "pub const VALUE: u8 = 7;\n",
    });
    const entry = {
        name: "little",
        vers: "1.0.0",
        deps: [],
        cksum: sha256Of(crate),
        features: {},
        yanked: false,
    };
    return new Map<string, string | Buffer>([
        ["/index/config.json", JSON.stringify({ dl: `${REGISTRY}/dl/{crate}/{version}` })],
        ["/index/li/tt/little", `${JSON.stringify(entry)}\n`],
        ["/dl/little/1.0.0", crate],
    ]);
}

/** https://go.dev/ref/mod#goproxy-protocol */
export function goProxy(): Site {
    const module = "module registry.test/little\n\ngo 1.19\n";
    const base = "/registry.test/little/@v";
    const folder = "registry.test/little@v1.0.0";
    return new Map<string, string | Buffer>([
        [`${base}/list`, "v1.0.0\n"],
        [`${base}/v1.0.0.info`, JSON.stringify({ Version: "v1.0.0" })],
        [`${base}/v1.0.0.mod`, module],
        [
            `${base}/v1.0.0.zip`,
            zipOf({ [`${folder}/go.mod`]: module, [`${folder}/little.go`]: "package little\n" }),
        ],
    ]);
}

/** A flat repository; see sources.list(5). */
export function aptRepository(): Site {
    const archive = Buffer.from("content\n");
    const fields = {
        Package: "little",
        Version: "1.0",
        Architecture: "all",
        Maintainer: "Test <test@example.org>",
        Filename: "./little_1.0_all.deb",
        Size: archive.length,
        SHA256: sha256Of(archive),
        Description: "little",
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return new Map<string, string | Buffer>([
        ["/apt/./Packages.gz", gzipSync(`${lines.join("")}\n`)],
        ["/apt/./little_1.0_all.deb", archive],
    ]);
}

/** Git over HTTP; see git-http-backend(1). Below `/private` it asks for a login. */
export function gitServer(repository: string): http.RequestListener {
    return (request, response) => {
        const { pathname, search } = new URL(request.url ?? "", REGISTRY);
        if (pathname.startsWith("/private/")) {
            response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
            return;
        }
        const { headers } = request;
        const backend = spawn("git", ["http-backend"], {
            env: {
                PATH: process.env.PATH,
                GIT_PROJECT_ROOT: repository,
                GIT_HTTP_EXPORT_ALL: "1",
                PATH_INFO: pathname.replace(/^\/[^/]*/, "/.git"),
                QUERY_STRING: search.slice(1),
                REQUEST_METHOD: request.method,
                CONTENT_TYPE: headers["content-type"],
                CONTENT_LENGTH: headers["content-length"],
                HTTP_CONTENT_ENCODING: headers["content-encoding"],
                GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
                REMOTE_ADDR: "127.0.0.1",
            },
            stdio: ["pipe", "pipe", "inherit"],
        });
        request.pipe(backend.stdin);
        const pieces: Buffer[] = [];
        backend.stdout.on("data", (bytes: Buffer) => pieces.push(bytes));
        backend.on("close", () => {
            const answer = Buffer.concat(pieces);
            const end = answer.indexOf("\r\n\r\n");
            const lines = answer.subarray(0, end).toString().split("\r\n");
            const fields = Object.fromEntries(lines.map((line) => line.split(": ", 2)));
            const { Status: status = "200", ...own } = fields as Record<string, string>;
            response.writeHead(Number.parseInt(status, 10), own).end(answer.subarray(end + 4));
        });
    };
}

/** Serves files. */
export function servedFrom(site: Site): http.RequestListener {
    return ({ url = "" }, response) => {
        const content = site.get(decodeURIComponent(url));
        const type = typeof content === "string" && content.startsWith("<") ? "html" : "plain";
        const headers = { "content-type": `text/${type}` };
        response.writeHead(content === undefined ? 404 : 200, headers).end(content ?? "{}");
    };
}
