import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import path from "node:path";

import { expect } from "chai";

import type { ContainedRequest } from "../../../../src/shell/containment/containment.js";
import { moveOutputs } from "../../../../src/workspace/apply/move-outputs.js";
import { ReviewedPaths } from "../../../../src/workspace/apply/reviewed-paths.js";
import { type Tree, writeTree } from "../../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf } from "../contained.js";
import { sha256Of, tarGzOf, zipOf } from "./archives.js";
import { LoopbackHosts } from "./loopback-hosts.js";

/** What a registry serves, by path. */
type Site = ReadonlyMap<string, string | Buffer>;

const PACKAGES = 300;
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

function npmRegistry(places: Readonly<Record<string, string>>): Site {
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

function pythonIndex(): Site {
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
function cargoRegistry(): Site {
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

/** The folder of a program that works without the user's HOME; `undefined` if it is not installed. */
function folderOf(...commandLine: [string, ...string[]]): string | undefined {
    try {
        const [program, ...more] = commandLine;
        return path.dirname(execFileSync(program, more, { encoding: "utf8" }).trim());
    } catch {
        return undefined;
    }
}

describeContained("package managers, contained, with a registry on loopback", () => {
    let hosts: LoopbackHosts;
    let asked: string[];
    let machine: http.Server;
    beforeEach(async () => {
        asked = [];
        hosts = new LoopbackHosts();
        machine = http.createServer((_, response) => response.end("inside\n"));
        await new Promise<void>((resolve) => void machine.listen(0, "127.0.0.1", resolve));
    });
    afterEach(async () => {
        machine.close();
        await hosts.close();
    });

    async function serve(site: Site): Promise<void> {
        await hosts.serve(({ url = "" }, response) => {
            const content = site.get(decodeURIComponent(url));
            const type = typeof content === "string" && content.startsWith("<") ? "html" : "plain";
            const headers = { "content-type": `text/${type}` };
            response.writeHead(content === undefined ? 404 : 200, headers).end(content ?? "{}");
        });
    }

    async function projectOf(tree: Tree, searchPath = process.env.PATH ?? "") {
        const own: { rules?: ReviewedPaths } = {};
        const project = await ContainedProject.make(tree, {
            reach: hosts.reach,
            environment: { PATH: searchPath },
            isIgnored: async (location) => /^(?:node_modules|target|vendor)(?:\/|$)/.test(location),
            outputRules: {
                reviewed: async (links) => (await own.rules?.reviewed(links)) ?? (() => false),
            },
        });
        own.rules = new ReviewedPaths(project.root, searchPath);
        return project;
    }

    /** Runs a command that may reach all hosts but one. */
    function run(
        project: ContainedProject,
        command: string,
        more: Readonly<Record<string, string>> = {}
    ) {
        const variables = new Map(
            Object.entries({ PATH: process.env.PATH ?? "", HOME: project.home, ...more })
        );
        const request: Partial<ContainedRequest> = {
            holdsOutputs: true,
            timeoutMs: 300_000,
            state: { folder: project.root, variables, definitions: "" },
            hosts: {
                permit: async (name) => {
                    asked.push(name);
                    return name === "other.example" ? { refused: "not allowed" } : {};
                },
            },
        };
        return project.run(command, request);
    }

    it(`npm installs ${PACKAGES} packages, its host is asked about once, and an install script reaches nothing`, async () => {
        const dependencies = Object.fromEntries(
            Array.from({ length: PACKAGES }, (_, index) => [
                index === 0 ? "thief" : `small-${index}`,
                "1.0.0",
            ])
        );
        const manifest = JSON.stringify({ name: "fixture", version: "1.0.0", dependencies });
        const project = await projectOf({ "package.json": manifest, ".env": "TOKEN=hunter2\n" });
        hosts.addresses.set("inside.example", "10.0.0.7");
        writeTree(project.home, {
            ".ssh/id_ed25519": "hunter2\n",
            "diary.txt": "hunter2\n",
            ".npmrc": "//registry.example/:_authToken=hunter2\n",
        });
        const { port } = machine.address() as AddressInfo;
        await serve(npmRegistry({ HOME_FOLDER: project.home, LISTENING: String(port) }));
        const command =
            "npm install --registry http://registry.example/ --no-fund --foreground-scripts";
        const install = await run(project, command, { NPM_TOKEN: "hunter2" });

        expect(install.outcome.exitCode, install.outcome.stderr).to.equal(0);
        expect(install.refusal?.text).to.equal(undefined);
        expect(asked).to.deep.equal(["registry.example", "other.example", "inside.example"]);
        expect(hosts.lookedUp).not.to.include("other.example");
        const layer = install.layer?.folder ?? "";
        const report = readFileSync(path.join(layer, "node_modules/thief/report.txt"), "utf8");
        expect(report.match(/^tried /gm), report).to.have.length(13);
        expect(report).not.to.contain("reached");

        const [registry] = install.traffic ?? [];
        expect(registry).to.deep.include({ host: "registry.example", ...hosts.carried });
        expect(registry?.requests).to.be.at.least(2 * PACKAGES);
        expect(effectsOf(install)).to.deep.equal(["+package-lock.json"]);
        await moveOutputs(project.root, layer, install.outputs);
        await install.layer?.release();
        expect(
            readFileSync(path.join(project.root, "node_modules/small-299/index.js"), "utf8")
        ).to.equal("module.exports = 299;\n");
    });

    it("pip installs a wheel from a simple index, and what it installed imports", async function () {
        const python = folderOf("python3", "-c", "import sys, pip; print(sys.executable)");
        if (python === undefined) return this.skip();
        const searchPath = `${python}:${process.env.PATH}`;
        const project = await projectOf({ "a.txt": "a\n" }, searchPath);
        await serve(pythonIndex());
        const index = "--index-url http://registry.example/simple --trusted-host registry.example";
        const { outcome, outputs, traffic } = await run(
            project,
            `python3 -m pip install -q --target vendor ${index} little && PYTHONPATH=vendor python3 -B -c 'import little; print(little.VALUE)'`,
            { PATH: searchPath }
        );
        expect(outcome.stdout, outcome.stderr).to.equal("7\n");
        expect(outputs.map(({ path: location }) => location)).to.include("vendor/little.py");
        expect(asked).to.deep.equal(["registry.example"]);
        expect(traffic?.[0]).to.deep.include({ host: "registry.example", ...hosts.carried });
    });

    it("cargo builds with a crate from a sparse index", async function () {
        // The tests' own HOME has no toolchain.
        const { homedir } = userInfo();
        const cargo = folderOf("env", `HOME=${homedir}`, "rustup", "which", "cargo");
        if (cargo === undefined) return this.skip();
        const searchPath = `${cargo}:${process.env.PATH}`;
        const project = await projectOf(
            {
                "Cargo.toml":
                    '[package]\nname = "fixture"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nlittle = "1.0.0"\n',
                "src/main.rs": 'fn main() { println!("{}", little::VALUE) }\n',
                ".cargo/config.toml":
                    '[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+http://registry.example/index/"\n',
            },
            searchPath
        );
        await serve(cargoRegistry());
        const build = await run(project, "cargo run -q", { PATH: searchPath });
        expect(build.outcome.stdout, build.outcome.stderr).to.equal("7\n");
        expect(effectsOf(build)).to.deep.equal(["+Cargo.lock"]);
        expect(asked).to.deep.equal(["registry.example"]);
        expect(build.traffic?.[0]).to.deep.include({ host: "registry.example", ...hosts.carried });
    });

    it("curl and wget download, and a program that knows no proxy is refused without a question", async () => {
        const project = await projectOf({ "a.txt": "a\n" });
        await serve(new Map([["/file", "content\n"]]));
        const url = "http://registry.example/file";
        const { outcome } = await run(project, `curl -sS ${url}; wget -qO- ${url}`);
        expect(outcome.stdout, outcome.stderr).to.equal("content\ncontent\n");
        expect(asked).to.deep.equal(["registry.example"]);

        asked = [];
        const script =
            "import urllib.request as r; r.install_opener(r.build_opener(r.ProxyHandler({})))";
        const direct = await run(project, `python3 -c '${script}; r.urlopen("${url}")'`);
        expect(direct.outcome.exitCode).to.equal(1);
        expect(direct.refusal?.what).to.equal("network");
        expect(asked).to.deep.equal([]);
    });
});
