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
import { git, makeRepository, type Tree, writeTree } from "../../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf } from "../contained.js";
import { LoopbackHosts } from "./loopback-hosts.js";
import {
    aptRepository,
    cargoRegistry,
    gitServer,
    goProxy,
    npmRegistry,
    PACKAGES,
    pythonIndex,
    servedFrom,
} from "./sites.js";

/** The folder of a program that works without the user's HOME; `undefined` if it is not installed. */
function folderOf(...commandLine: [string, ...string[]]): string | undefined {
    try {
        const [program, ...more] = commandLine;
        return path.dirname(execFileSync(program, more, { encoding: "utf8" }).trim());
    } catch {
        return undefined;
    }
}

interface Download {
    readonly what: string;
    /** A command that prints the path of a program which works without the user's HOME. */
    readonly finding?: [string, ...string[]];
    readonly tree?: Tree;
    /** What the host serves; else one file. */
    readonly site?: (repository: string) => http.RequestListener;
    /** The URL of git's `origin`. */
    readonly remote?: string;
    readonly command: string;
    readonly stdout?: string;
    /** What it did in git and to files. */
    readonly left?: readonly string[];
    /** Why it takes a real run. */
    readonly needs?: string;
    /** Whether it got to the host, which was then asked about once; by default, it did. */
    readonly isReached?: false;
}

const URL_OF_FILE = "http://registry.example/file";
const REPOSITORY = "http://registry.example/repository.git";
const BRANCH = 'Create origin/main at ID "first"';

const DOWNLOADS: readonly Download[] = [
    {
        what: "pip, which installs a wheel that is then imported",
        finding: ["python3", "-c", "import sys, pip; print(sys.executable)"],
        site: () => servedFrom(pythonIndex()),
        command:
            "python3 -m pip install -q --target vendor --index-url http://registry.example/simple --trusted-host registry.example little && PYTHONPATH=vendor python3 -B -c 'import little; print(little.VALUE)'",
        stdout: "7\n",
    },
    {
        what: "cargo, which builds with a crate from a sparse index",
        // The tests' own HOME has no toolchain.
        finding: ["env", `HOME=${userInfo().homedir}`, "rustup", "which", "cargo"],
        tree: {
            "Cargo.toml":
                '[package]\nname = "fixture"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nlittle = "1.0.0"\n',
            "src/main.rs": 'fn main() { println!("{}", little::VALUE) }\n',
            ".cargo/config.toml":
                '[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+http://registry.example/index/"\n',
        },
        site: () => servedFrom(cargoRegistry()),
        command: "cargo run -q",
        stdout: "7\n",
        left: ["+Cargo.lock"],
    },
    {
        what: "go, which gets a module from a proxy",
        finding: ["which", "go"],
        tree: { "go.mod": "module fixture\n\ngo 1.19\n" },
        site: () => servedFrom(goProxy()),
        command:
            "export GOPROXY=http://registry.example GONOSUMDB='*' GONOSUMCHECK=1 GOFLAGS=-mod=mod; go get registry.test/little@v1.0.0 2>/dev/null && go list -m all",
        stdout: "fixture\nregistry.test/little v1.0.0\n",
        left: ["~go.mod", "+go.sum"],
    },
    {
        what: "git fetch",
        site: gitServer,
        remote: REPOSITORY,
        command: "git fetch -q",
        left: [BRANCH, 'Create tag v1 at ID "first"'],
    },
    {
        what: "git pull",
        site: gitServer,
        remote: REPOSITORY,
        command: "git pull -q origin main",
        left: ['Commit to master: "first"', BRANCH, "+b.txt"],
    },
    {
        what: "git clone to a temporary folder",
        site: gitServer,
        command: `git clone -q ${REPOSITORY} /tmp/clone && cat /tmp/clone/b.txt`,
        stdout: "b\n",
    },
    {
        what: "git clone into the project",
        site: gitServer,
        command: `git clone -q ${REPOSITORY} sub`,
        needs: "It needs to write sub/.git",
    },
    {
        what: "git fetch from a host that wants a login",
        site: gitServer,
        remote: "http://registry.example/private/repository.git",
        command: "git fetch",
        needs: "It needs a login at registry.example, it says",
    },
    {
        what: "git fetch over SSH",
        remote: "git@registry.example:repository.git",
        command: "git fetch",
        needs: "It needs SSH to registry.example, it says",
        isReached: false,
    },
    {
        what: "apt-get download",
        finding: ["which", "apt-get"],
        tree: {
            "sources.list": "deb [trusted=yes] http://registry.example/apt ./\n",
            "apt.conf":
                'Dir::Etc::sourcelist "sources.list";\nDir::Etc::sourceparts "none";\nDir::State "/tmp/apt";\nDir::Cache "/tmp/apt";\nAPT::Sandbox::User "root";\n',
        },
        site: () => servedFrom(aptRepository()),
        command:
            'export APT_CONFIG=apt.conf; sed -i "s|sourcelist .|&$PWD/|" apt.conf; mkdir -p /tmp/apt/lists/partial /tmp/apt/archives/partial; apt-get -qq update && cd /tmp && APT_CONFIG=$OLDPWD/apt.conf apt-get -qq download little && cat little_1.0_all.deb',
        stdout: "content\n",
        left: ["~apt.conf"],
    },
    { what: "curl", command: `curl -sS ${URL_OF_FILE}`, stdout: "content\n" },
    { what: "wget", command: `wget -qO- ${URL_OF_FILE}`, stdout: "content\n" },
    {
        what: "a Python program that ignores proxies",
        command: `python3 -c 'import urllib.request as r; r.build_opener(r.ProxyHandler({})).open("${URL_OF_FILE}")'`,
        needs: "It needs the network",
        isReached: false,
    },
    {
        what: "a Node program with a plain socket",
        command: `node -e 'require("net").connect(80, "registry.example")'`,
        needs: "It needs the network: registry.example, it says",
        isReached: false,
    },
];

describeContained("what downloads, contained, with its host on loopback", () => {
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
        const places = { HOME_FOLDER: project.home, LISTENING: String(port) };
        await hosts.serve(servedFrom(npmRegistry(places)));
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

    for (const row of DOWNLOADS) {
        const { what, finding, tree, site, remote, command, stdout = "", left = [], needs } = row;
        it(`${what}: what it did, what was asked, and its traffic to the byte`, async function () {
            const folder = finding && folderOf(...finding);
            if (finding && folder === undefined) return this.skip();
            const searchPath = [folder, process.env.PATH].filter(Boolean).join(":");
            const project = await projectOf({ "a.txt": "a\n", ...tree }, searchPath);
            if (remote) git(project.root, "remote", "add", "origin", remote);
            const upstream = makeRepository({ "b.txt": "b\n" });
            git(upstream, "checkout", "--quiet", "-b", "main");
            git(upstream, "add", "-A");
            git(upstream, "commit", "--quiet", "-m", "first");
            git(upstream, "tag", "v1");
            await hosts.serve(site?.(upstream) ?? servedFrom(new Map([["/file", "content\n"]])));

            const ran = await run(project, command, { PATH: searchPath });
            const { outcome, repository, traffic } = ran;
            await ran.layer?.release();
            expect(ran.refusal?.text, outcome.stderr).to.equal(needs);
            expect(outcome.stdout, outcome.stderr).to.equal(stdout);
            const done = repository?.shown.changes.map(({ what: line }) =>
                line.replace(/\b[0-9a-f]{7}\b/, "ID")
            );
            expect([...(done ?? []), ...effectsOf(ran)]).to.deep.equal(left);
            expect(repository?.shown.unseen ?? []).to.deep.equal([]);
            const isReached = row.isReached ?? true;
            expect(asked).to.deep.equal(isReached ? ["registry.example"] : []);
            const counts = traffic?.map(({ requests: _, wantsLogin: __, ...each }) => each);
            const carried = { host: "registry.example", ...hosts.carried };
            expect(counts).to.deep.equal(isReached ? [carried] : []);
        });
    }
});
