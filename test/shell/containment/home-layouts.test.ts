import {
    chmodSync,
    copyFileSync,
    lstatSync,
    mkdirSync,
    renameSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { openContainment } from "../../../src/shell/containment/open-containment.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { makeFolder, writeTree } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained, optionsFor } from "./contained.js";

/** What everybody has in HOME, and no command may see. */
const PRIVATE = {
    ".ssh/id_ed25519": "private\n",
    ".local/share/keyrings/login.keyring": "private\n",
    ".local/share/other-program/state": "private\n",
    ".local/state/history": "private\n",
    ".config/program/settings": "private\n",
    ".mozilla/profile/logins": "private\n",
    "Documents/diary.txt": "private\n",
    "projects/other/a.txt": "private\n",
};

interface Layout {
    /** Folders of PATH. */
    readonly path: readonly string[];
    /** What is shown: files by path, `#!` lines with the rest of the path, and links as `-> target`. */
    readonly shown: Readonly<Record<string, string>>;
    /** What lies near it and is not shown. */
    readonly hidden?: Readonly<Record<string, string>>;
}

const TOOL = "#!/bin/sh\necho ran\n";
/** A program that an interpreter in HOME runs. */
const by = (interpreter: string) => `#!HOME/${interpreter}\necho ran\n`;
/** Stands for an interpreter: a script cannot be one. */
const INTERPRETER = "INTERPRETER";

const LAYOUTS: Readonly<Record<string, Layout>> = {
    nvm: {
        path: [".nvm/versions/node/v20/bin"],
        shown: {
            ".nvm/versions/node/v20/bin/node": TOOL,
            ".nvm/versions/node/v20/lib/node_modules/tool/cli.js": TOOL,
            ".nvm/versions/node/v20/bin/tool": "-> ../lib/node_modules/tool/cli.js",
        },
    },
    fnm: {
        path: [".local/share/fnm/aliases/default/bin"],
        shown: {
            ".local/share/fnm/node-versions/v20/installation/bin/tool": TOOL,
            ".local/share/fnm/aliases/default": "-> ../node-versions/v20/installation",
        },
    },
    volta: {
        path: [".volta/bin"],
        shown: { ".volta/bin/volta-shim": TOOL, ".volta/bin/tool": "-> volta-shim" },
    },
    mise: {
        path: [".local/share/mise/shims"],
        shown: {
            ".local/share/mise/installs/tool/1/bin/tool": TOOL,
            ".local/share/mise/shims/tool": "-> ../installs/tool/1/bin/tool",
        },
    },
    asdf: {
        path: [".asdf/shims"],
        shown: {
            ".asdf/shims/tool": TOOL,
            ".asdf/installs/tool/1/bin/tool": TOOL,
            ".tool-versions": "tool 1\n",
        },
    },
    pyenv: {
        path: [".pyenv/shims"],
        shown: {
            ".pyenv/shims/tool": TOOL,
            ".pyenv/versions/3.12/bin/python": TOOL,
            ".pyenv/version": "3.12\n",
        },
    },
    uv: {
        path: [".local/bin"],
        shown: {
            ".local/share/uv/python/cpython-3.12/bin/python": INTERPRETER,
            ".local/share/uv/tools/tool/bin/python": "-> ../../../python/cpython-3.12/bin/python",
            ".local/share/uv/tools/tool/bin/tool": by(".local/share/uv/tools/tool/bin/python"),
            ".local/bin/tool": "-> ../share/uv/tools/tool/bin/tool",
        },
    },
    pipx: {
        path: [".local/bin"],
        shown: {
            ".local/lib/python3.12/site-packages/a.py": "pass\n",
            ".local/share/pipx/venvs/tool/bin/python": INTERPRETER,
            ".local/share/pipx/venvs/tool/bin/tool": by(".local/share/pipx/venvs/tool/bin/python"),
            ".local/bin/tool": "-> ../share/pipx/venvs/tool/bin/tool",
        },
    },
    rustup: {
        path: [".cargo/bin"],
        shown: {
            ".cargo/bin/rustup": TOOL,
            ".cargo/bin/tool": "-> rustup",
            ".rustup/toolchains/stable/bin/cargo": TOOL,
        },
    },
    sdkman: {
        path: [".sdkman/candidates/java/current/bin"],
        shown: {
            ".sdkman/candidates/java/21/bin/tool": TOOL,
            ".sdkman/candidates/java/current": "-> 21",
        },
    },
    "Homebrew on Linux": {
        path: [".linuxbrew/bin"],
        shown: {
            ".linuxbrew/Cellar/tool/1.0/bin/tool": TOOL,
            ".linuxbrew/bin/tool": "-> ../Cellar/tool/1.0/bin/tool",
            ".linuxbrew/lib/libtool.so": "library\n",
        },
        hidden: { ".linuxbrew/var/log/tool.log": "private\n" },
    },
    // Shown under the name that PATH has, not under the one its link leads to.
    Nix: {
        path: [".nix-profile/bin"],
        shown: { ".nix-profile/bin/tool": TOOL },
        hidden: {
            ".local/state/nix/profiles/profile-1-link/bin/tool": TOOL,
            ".local/state/nix/profiles/profile-1-link/manifest.json": "{}\n",
            ".nix-profile": "-> .local/state/nix/profiles/profile-1-link",
        },
    },
    snap: {
        path: ["snap/bin"],
        shown: { "snap/bin/tool": TOOL },
        hidden: { "snap/program/common/state": "private\n" },
    },
    pnpm: {
        path: [".local/share/pnpm"],
        shown: {
            ".local/share/pnpm/global/5/node_modules/tool/cli.js": TOOL,
            ".local/share/pnpm/tool": TOOL,
        },
    },
    bun: {
        path: [".bun/bin"],
        shown: {
            ".bun/install/global/node_modules/tool/cli.js": TOOL,
            ".bun/bin/tool": "-> ../install/global/node_modules/tool/cli.js",
        },
    },
    deno: { path: [".deno/bin"], shown: { ".deno/bin/tool": TOOL } },
    conda: {
        path: ["miniconda3/bin"],
        shown: {
            "miniconda3/bin/python3.12": INTERPRETER,
            "miniconda3/bin/python": "-> python3.12",
            "miniconda3/bin/tool": by("miniconda3/bin/python"),
            "miniconda3/lib/python3.12/os.py": "pass\n",
        },
        hidden: {
            "miniconda3/pkgs/cache.txt": "private\n",
            "miniconda3/envs/other/state": "private\n",
        },
    },
    go: {
        path: ["go/bin"],
        shown: { "go/bin/tool": TOOL, "go/pkg/mod/example.org/a@v1/a.go": "package a\n" },
    },
    ghcup: {
        path: [".ghcup/bin"],
        shown: {
            ".ghcup/ghc/9.4/bin/tool": TOOL,
            ".ghcup/bin/tool": "-> ../ghc/9.4/bin/tool",
        },
        hidden: { ".ghcup/cache/download.txt": "private\n", ".ghcup/logs/ghcup.log": "private\n" },
    },
    none: {
        path: [],
        shown: {},
        hidden: { "bin/tool": TOOL, ".local/share/applications/a": "private\n" },
    },
};

/** Writes files, links and programs below a home folder. */
function write(home: string, tree: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(tree)) {
        const file = path.join(home, name);
        const [, target] = /^-> (.*)$/.exec(content) ?? [];
        mkdirSync(path.dirname(file), { recursive: true });
        if (target !== undefined) symlinkSync(target, file);
        else if (content === INTERPRETER) copyFileSync("/bin/sh", file);
        else writeFileSync(file, content.replace("HOME", home));
        if (target === undefined && /^#!|^INTERPRETER/.test(content)) chmodSync(file, 0o755);
    }
}

/** The places in HOME on one of the lines that doctor prints. */
function listed(lines: readonly string[], heading: string): string[] {
    const line = lines.find((each) => each.startsWith(heading)) ?? "";
    return [...line.matchAll(/~\/([^,;]+?)(?=, |;|$)/g)].map(([, place = ""]) => place);
}

describeContained("what contained commands see of HOME", () => {
    for (const [name, { path: folders, shown, hidden = {} }] of Object.entries(LAYOUTS)) {
        it(`With ${name}, it is what doctor lists and nothing else, and its tools run`, async () => {
            const home = makeFolder();
            const all = { ...PRIVATE, ...hidden, ...shown };
            write(home, all);
            const root = path.join(home, "projects/mine");
            writeTree(home, { "projects/mine/a.txt": "a\n" });
            const searchPath = [
                ...folders.map((each) => path.join(home, each)),
                process.env.PATH,
            ].join(":");
            const opened = await openContainment({
                ...optionsFor(root, home),
                environment: { HOME: home, PATH: searchPath },
            });
            if (opened.kind === "unavailable") throw new Error(opened.reason);
            const { containment } = opened;
            const variables = new Map(Object.entries({ PATH: searchPath, HOME: home }));
            const run = (command: string) =>
                containment.run({
                    ...{ command, timeoutMs: PATIENCE_MS, signal: new AbortController().signal },
                    state: { folder: root, variables, definitions: "" },
                });
            try {
                const find = await run(
                    "find ~ -path ~/projects/mine -prune -o ! -type d -printf '%P\\n'"
                );
                const seen = find.outcome.stdout.split("\n").filter(Boolean).sort();
                expect(seen, find.outcome.stderr).to.deep.equal(Object.keys(shown).sort());

                const lines = containment.describe();
                const places = [...listed(lines, "HOME"), ...listed(lines, "caches")];
                const isListed = (file: string) =>
                    places.some((each) => `${file}/`.startsWith(`${each}/`));
                expect(Object.keys(all).filter(isListed).sort(), lines.join("\n")).to.deep.equal(
                    seen
                );

                const { outcome } = await run("tool; stat -c %F /bin");
                const ran = folders.length > 0 ? "ran\n" : "";
                // Not a view of its own, although the interpreter is named by it.
                const kind = lstatSync("/bin").isSymbolicLink() ? "symbolic link" : "directory";
                expect(outcome.stdout, outcome.stderr).to.equal(`${ran}${kind}\n`);
            } finally {
                await containment.dispose();
            }
        });
    }

    it("Credentials stay hidden where a link leads to them, and in settings that are too long to read", async () => {
        const token = "c2VjcmV0LXRva2VuLTQ1Njc4OTAxMjM0NTY3ODkw";
        const home = makeFolder();
        const header = `[user]\n\tname = Ada\n[http]\n\textraheader = "Authorization: ${token}"\n`;
        write(home, {
            "dotfiles/gitconfig.symlink": header,
            ".gitconfig": "-> dotfiles/gitconfig.symlink",
            ".config/git/config": `${"# long\n".repeat(40_000)}${header}`,
            "disk/cargo/config.toml": `[registry]\ntoken = "${token}"\n`,
            "disk/cargo/env": "export CARGO=1\n",
            ".cargo": "-> disk/cargo",
            "disk/gradle/init.d/a.gradle": `password = "${token}"\n`,
            ".gradle": "-> disk/gradle",
        });
        const project = await ContainedProject.make({}, { environment: { HOME: home } });
        const { outcome } = await project.run(
            `cd ${home}; cat .gitconfig .cargo/env; cat .config/git/config .cargo/* .gradle/*/*`
        );
        expect(outcome.stdout).to.contain("name = Ada").and.contain("CARGO=1");
        expect(outcome.stdout).to.contain("token = xxx").and.contain("password = xxx");
        expect(outcome.stdout).not.to.contain(token);
    });

    it("Settings of package managers are visible without their logins", async () => {
        const token = "npm_Zk29fQmZr81LwTqPv63NdYsBc7a0123456789";
        const home = makeFolder();
        write(home, {
            "dotfiles/npmrc": `registry=https://npm.example/\n//npm.example/:_authToken=${token}\n`,
            ".npmrc": "-> dotfiles/npmrc",
            ".config/pip/pip.conf": `[global]\nindex-url = https://ada:${token}@pip.example/simple\n`,
            ".config/go/env": `GOPROXY=https://ada:${token}@go.example\nGOFLAGS=-mod=mod\n`,
            ".config/uv/uv.toml": 'index-url = "https://uv.example/simple"\n',
            ".yarnrc.yml": `npmAuthToken: ${token}\nnpmRegistryServer: https://yarn.example\n`,
        });
        const project = await ContainedProject.make({}, { environment: { HOME: home } });
        const { outcome } = await project.run(
            `cd ${home}; cat .npmrc .config/*/* .yarnrc.yml; npm_config_userconfig=.npmrc npm config get registry`
        );
        expect(outcome.stdout).to.match(/^registry=\S+\n;\/npm.example\/:_authToken=x+\n/);
        expect(outcome.stdout).to.contain("@pip.example/simple").and.contain("GOFLAGS=-mod=mod");
        expect(outcome.stdout).to.contain("uv.example").and.contain("https://yarn.example");
        expect(outcome.stdout).to.match(/\nhttps:\/\/npm.example\/\n$/);
        expect(outcome.stdout).not.to.contain(token);
    });

    it("Certificates that a variable names are visible, files with more are not", async () => {
        const home = makeFolder();
        const block = (what: string) => `-----BEGIN ${what}-----\nTUlJ\n-----END ${what}-----\n`;
        const certificate = `# Example CA\n${block("CERTIFICATE")}`;
        write(home, {
            "ca/ours.pem": certificate.repeat(2),
            "ca/key.pem": certificate + block("PRIVATE KEY"),
            "ca/note.pem": `${certificate}hunter2\n`,
        });
        const named = { SSL_CERT_FILE: "ours", CURL_CA_BUNDLE: "key", CA_NOTE: "note" };
        const environment = Object.fromEntries(
            Object.entries(named).map(([name, file]) => [name, path.join(home, `ca/${file}.pem`)])
        );
        const project = await ContainedProject.make({}, { environment });
        const { outcome } = await project.run(`ls ${home}/ca; cat ${home}/ca/*`);
        expect(outcome.stdout).to.equal(`ours.pem\n${certificate.repeat(2)}`);
    });

    it("A cache that a link in its toolchain leads away is shown there, and can be written", async () => {
        const home = makeFolder();
        write(home, {
            "disk/caches/a": "a\n",
            ".gradle/caches": "-> ../disk/caches",
            "disk/m2/settings": "a\n",
            "disk/repository/a": "a\n",
            ".m2": "-> disk/m2",
            "disk/m2/repository": `-> ${home}/disk/repository`,
            "disk/bun/cache/a": "a\n",
            ".bun/install": "-> ../disk/bun",
            "go/moved/a": "a\n",
            "go/pkg": "-> moved",
        });
        const project = await ContainedProject.make({}, { environment: { HOME: home } });
        const caches = ".gradle/caches .m2/repository .bun/install/cache";
        const { outcome } = await project.run(
            `cd ${home}; for each in ${caches}; do cat $each/a; touch $each/b; done; cat go/pkg/a .m2/settings; ls disk`
        );
        expect(outcome.stderr).to.equal("");
        expect(outcome.stdout).to.equal("a\na\na\na\na\nbun\ncaches\nrepository\n");
    });

    it("Settings that were moved away for a while are shown again", async () => {
        const home = makeFolder({ ".gitconfig": "[user]\n\tname = Ada\n" });
        const project = await ContainedProject.make({}, { environment: { HOME: home } });
        const settings = path.join(home, ".gitconfig");
        const shown = async () => (await project.run(`cat ${settings}`)).outcome.stdout;
        expect(await shown()).to.contain("Ada");
        renameSync(settings, `${settings}.away`);
        expect(await shown()).to.equal("");
        renameSync(`${settings}.away`, settings);
        expect(await shown()).to.contain("Ada");
    });
});
