import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
    chmodSync,
    chownSync,
    cpSync,
    mkdirSync,
    readFileSync,
    renameSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { git, type Tree, writeTree } from "../../workspace/make-folder.js";
import { describeContained } from "./contained.js";
import { type RunSettings, usersToTry, WatchedPlace } from "./watched-place.js";

const SECRET = "hunter2\n";
const isRoot = process.getuid?.() === 0;

/** As Debian, Ubuntu and Fedora mount them. */
const SYSTEMD = `mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /run
mkdir -p -m 777 /run/user/1000 /run/north
mount -o remount,nosuid,noexec /dev
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /dev/shm`;

/** As on NixOS, where nothing in /usr is a tool; and a service, whose stand-in North looks at. */
const PROGRAMS_IN_RUN = `mount -t tmpfs -o mode=755 tmpfs /run
tools=/run/current-system/sw/bin; mkdir -p "$tools" /run/service
cp -a "$(type -P find)" "$tools"
mount -t tmpfs tmpfs /mnt; mkdir /mnt/{upper,work}
mount -t overlay -o lowerdir=/usr/bin,upperdir=/mnt/upper,workdir=/mnt/work overlay /usr/bin
rm /usr/bin/find
setpriv --pdeathsig=KILL perl -e 'socket(S, 1, 1, 0); bind(S, pack("S a*", 1, "/run/service/socket")); listen(S, 1); open(STDOUT, ">", "/dev/null"); open(STDERR, ">&1"); open(READY, ">", "/run/service/ready"); sleep' &
until [[ -e /run/service/ready ]]; do sleep 0.05; done`;

/** Connects to each socket that it is given; needs a few more words than a shell has. */
const CONNECT = `perl -e 'for (@ARGV) { socket(S, 1, 1, 0); print connect(S, pack("S a*", 1, $_)) ? "reached\\n" : "refused\\n" }'`;

describeContained("the new root", () => {
    for (const user of usersToTry()) {
        const who = user === 0 ? "root" : `user ${user}`;
        const place = (
            tree: Tree = {},
            prepare: (made: { root: string; home: string }) => void = () => {}
        ) =>
            new WatchedPlace(user, (root) => {
                const home = path.resolve(root, "../..");
                writeTree(path.dirname(home), tree);
                prepare({ root, home });
            });
        const outputs = (
            made: WatchedPlace,
            commands: readonly string[],
            settings?: RunSettings
        ) => {
            try {
                return made.run(commands, settings);
            } finally {
                made.remove();
            }
        };

        it(`A command cannot choose a folder of North's for the next one, as ${who}`, () => {
            const made = place();
            const forge = (folder: string) => `trap 'printf "${folder}\\0" >/run/north/left' EXIT`;
            const lines = outputs(made, [
                forge("."),
                "ls writable lower ..; cat lower/.env ../../../.ssh/id_rsa",
                forge("/proc/self/cwd"),
                forge("/proc/1/cwd"),
                `ln -s ${made.home}/.ssh link; ${forge(`${made.root}/link`)}`,
                forge(`${made.home}/.ssh`),
                forge(`${made.root}/../neighbour`),
                `ln -sf /proc/1/environ /run/north/left; trap - EXIT`,
            ]);
            expect(lines.map(({ folder }) => folder)).to.deep.equal(lines.map(() => made.root));
            expect(lines.map(({ outcome }) => outcome.stdout).join("")).not.to.contain("hunter");
        });

        it(`The next command starts in a folder that the last one created and entered, as ${who}`, () => {
            const made = place();
            const [line] = outputs(made, ["mkdir -p new/deep; cd new/deep"]);
            expect(line?.folder).to.equal(`${made.root}/new/deep`);
        });

        it(`Only what is visible is mounted, and layers have no name, as ${who}`, () => {
            const made = place();
            const [mounts, names, layers] = outputs(made, [
                "cut -d' ' -f5 /proc/self/mountinfo",
                "ls / /home /root /mnt /srv /boot /var 2>/dev/null",
                "find / -xdev -name 'north-contained-*' -o -name upper -path '*project*' 2>/dev/null; ls /proc/1/cwd/ /proc/1/root/",
            ]).map(({ outcome }) => outcome.stdout);
            expect(mounts?.split("\n")).to.include.members([
                "/",
                "/usr",
                "/etc",
                made.root,
                made.home,
            ]);
            expect(mounts).not.to.match(/^\/(?:boot|mnt|srv|sys)?$(?<!^\/)/m);
            expect(names).not.to.match(/^(?:mnt|srv|boot|media|lost\+found|mail|spool)$/m);
            expect(layers).to.equal("");
        });

        it(`In HOME only the PATH folder itself is visible, not what is beside it, as ${who}`, () => {
            const made = place(
                {
                    "home/.local/bin/tool": "#!/bin/sh\necho tool\n",
                    "home/.local/share/keyrings/login.keyring": SECRET,
                    "home/.config/bin/other": "#!/bin/sh\necho other\n",
                    "home/.config/mail": SECRET,
                    "home/Documents/bin/x": "x",
                    "home/Documents/letter.txt": SECRET,
                    "home/sdk/1.0/bin/compiler": "#!/bin/sh\ncat ~/sdk/1.0/lib/words\n",
                    "home/sdk/1.0/lib/words": "words\n",
                    "home/sdk/1.0/config.json": SECRET,
                    "home/apps/program/main.sh": "#!/bin/sh\necho linked\n",
                    "home/apps/program/private.txt": SECRET,
                },
                ({ home }) => {
                    for (const name of [
                        ".local/bin/tool",
                        ".config/bin/other",
                        "sdk/1.0/bin/compiler",
                        "apps/program/main.sh",
                    ]) {
                        chmodSync(path.join(home, name), 0o755);
                    }
                    symlinkSync("../../apps/program/main.sh", path.join(home, ".local/bin/linked"));
                }
            );
            const bins = [".local/bin", ".config/bin", "Documents/bin", "sdk/1.0/bin"];
            const searchPath = [
                ...bins.map((bin) => path.join(made.home, bin)),
                process.env.PATH,
            ].join(":");
            const [ran, stolen] = outputs(
                made,
                [
                    "tool; other; compiler; linked",
                    "cat ~/.local/share/keyrings/* ~/.config/mail ~/Documents/letter.txt ~/sdk/1.0/config.json ~/apps/program/private.txt; grep -r hunter ~",
                ],
                { searchPath }
            );
            expect(ran?.outcome.stdout, ran?.outcome.stderr).to.equal(
                "tool\nother\nwords\nlinked\n"
            );
            expect(stolen?.outcome.stdout).to.equal("");
        });

        it(`Credentials in toolchains are hidden, and settings are shown without theirs, as ${who}`, () => {
            const made = place({
                "home/.stack/upload/credentials.json": SECRET,
                "home/.gradle/init.d/repo.gradle": `credentials { password = "${SECRET.trim()}" }\n`,
                "home/.gradle/gradle.properties": `org.gradle.daemon=false\nrepoPassword=${SECRET}`,
                "home/.cargo/config.toml": `[build]\njobs = 3\n[registries.own]\ntoken = "${SECRET.trim()}"\n`,
                "home/.cargo/.env": SECRET,
                "home/.dotnet/corefx/x509stores/my/key.pfx": SECRET,
                "home/.gitconfig": `[user]\n\tname = Me\n[http]\n\textraheader = AUTHORIZATION: ${SECRET}[url "https://me:${SECRET.trim()}@git.example/"]\n\tinsteadOf = x:\n`,
            });
            const [found, kept] = outputs(made, [
                "grep -r hunter ~ 2>/dev/null",
                "git config user.name; cat ~/.cargo/config.toml ~/.gradle/gradle.properties",
            ]);
            expect(found?.outcome.stdout).to.equal("");
            expect(kept?.outcome.stdout)
                .to.contain("Me\n")
                .and.to.contain("jobs = 3")
                .and.to.contain("daemon=false");
        });

        it(`A .git file uncovers nothing, as ${who}`, () => {
            for (const [pointer, tree] of [
                ["../../.ssh", {}],
                [
                    "./meta",
                    {
                        "home/code/project/meta/commondir": "../../../",
                        "home/code/project/meta/HEAD": "ref: refs/heads/main\n",
                    },
                ],
                ["/etc", {}],
                [
                    "../victim/.git",
                    {
                        "home/code/victim/.git/HEAD": "ref: refs/heads/main\n",
                        "home/code/victim/.git/objects/x": SECRET,
                        "home/code/victim/.git/refs/x": "",
                    },
                ],
                [
                    "../evil/.git/worktrees/w",
                    {
                        "home/code/evil/.git/worktrees/w/commondir": "../../../../..",
                        "home/code/evil/.git/worktrees/w/gitdir": "../../../../project/.git",
                    },
                ],
            ] as const) {
                const made = place(tree, ({ root }) => {
                    execFileSync("rm", ["-r", path.join(root, ".git")]);
                    writeFileSync(path.join(root, ".git"), `gitdir: ${pointer}\n`);
                });
                const [line] = outputs(made, [
                    "cat ../../.ssh/id_rsa ../victim/.git/objects/x ../neighbour/private.txt; cat /etc/shadow | grep -c :",
                ]);
                expect(line?.outcome.stdout, pointer).to.equal("0\n");
            }
        });

        it(`Git works in a submodule whose folder is outside, as ${who}`, () => {
            const made = place({}, ({ root }) => {
                const top = path.join(path.dirname(root), "whole");
                const inner = path.join(path.dirname(root), "inner");
                for (const folder of [top, inner]) {
                    mkdirSync(folder);
                    git(folder, "init", "--quiet");
                    git(folder, "commit", "--quiet", "--allow-empty", "-m", "first of inner");
                }
                git(
                    top,
                    "-c",
                    "protocol.file.allow=always",
                    "submodule",
                    "--quiet",
                    "add",
                    inner,
                    "sub"
                );
                // The project becomes the submodule's work tree.
                execFileSync("rm", ["-rf", root]);
                execFileSync("mv", [path.join(top, "sub"), root]);
                writeFileSync(path.join(root, ".git"), "gitdir: ../whole/.git/modules/sub\n");
                git(top, "config", "--file", ".git/modules/sub/config", "core.worktree", root);
            });
            const [line] = outputs(made, ["git log --format=%s"]);
            expect(line?.outcome.stdout, line?.outcome.stderr).to.equal("first of inner\n");
        });

        it(`North's folders inside the project are hidden, as ${who}`, () => {
            const made = place({ "home/code/project/own/data/log": SECRET });
            const hiddenFolders = [path.join(made.root, "own/data")];
            const [line] = outputs(
                made,
                [
                    "cat own/data/log; grep -r hunter2 own; git status --porcelain >/dev/null; echo ran",
                ],
                { hiddenFolders }
            );
            expect(line?.outcome.stdout).to.equal("ran\n");
        });

        it(`Visible sockets and named pipes have nobody at their other end, as ${who}`, async () => {
            const made = place({ "home/.cargo/x": "" });
            const [socket, pipe] = ["s", "p"].map((name) => path.join(made.home, ".cargo", name));
            const listen = `require("net").createServer((s) => s.end("hunter2")).listen("${socket}", () => console.log("up"))`;
            const service = spawn(process.execPath, ["-e", listen]);
            try {
                await once(service.stdout, "data");
                chmodSync(String(socket), 0o777);
                execFileSync("mkfifo", ["-m", "666", String(pipe)]);
                const reader = spawn("cat", [String(pipe)]);
                let received = "";
                reader.stdout.on("data", (bytes: Buffer) => (received += bytes.toString()));
                const [line] = made.run([
                    `${CONNECT} ${socket}; echo hunter 1<>${pipe}; test -p ${pipe} && echo pipe`,
                ]);
                reader.kill("SIGKILL");
                await once(reader, "close");
                expect(line?.outcome.stdout).to.equal("refused\npipe\n");
                expect(received).to.equal("");
            } finally {
                service.kill("SIGKILL");
                made.remove();
            }
        });

        it(`A link or a pipe in git's folder is neither followed nor waited for, as ${who}`, () => {
            const made = place({ "home/.ssh/id_rsa": "0123456 hunter2\n" });
            const lines = outputs(made, [
                `ln -sf ${made.home}/.ssh/id_rsa .git/HEAD`,
                "rm .git/HEAD; mkfifo .git/HEAD",
            ]);
            for (const { refusal } of lines) {
                expect(refusal?.text)
                    .to.match(/^Changes the git repository: \.git\/HEAD/)
                    .and.not.to.match(/0123456|hunter/);
            }
        });

        it(`Keyrings, foreign kinds of sockets and io_uring are unavailable, as ${who}`, () => {
            const calls = `perl -e 'for ([248, "user", "north", "x", 1, -3], [250, 0, -3, 0], [425, 1, 0]) { print syscall($_->[0], @$_[1..$#$_]) < 0 && $!+0, "\\n" } socket(S, 40, 1, 0) or print $!+0, "\\n"; socket(S, 1, 1, 0) and print "unix\\n"'`;
            const [line, named] = outputs(place(), [
                process.arch === "x64" ? calls : "printf '38\\n38\\n38\\n97\\nunix\\n'",
                "cat /proc/keys",
            ]);
            expect(line?.outcome.stdout).to.equal("38\n38\n38\n97\nunix\n");
            expect(named?.outcome.stdout).to.equal("");
        });

        for (const [folder, mounts] of Object.entries({
            "/opt": "mount -t tmpfs -o mode=755 tmpfs /opt",
            "/usr/local/north": `mount -t tmpfs tmpfs /mnt; mkdir /mnt/{upper,work}
mount -t overlay -o lowerdir=/usr,upperdir=/mnt/upper,workdir=/mnt/work overlay /usr`,
        })) {
            it(`What others may not read in ${folder} is hidden, whatever its name, as ${who}`, () => {
                const within = `${mounts}; mkdir -p ${folder}/open ${folder}/shut/.git; cd ${folder}
printf '[remote "a"]\\nurl = https://me:token@a.example/b\\n' >shut/.git/config
for file in open/letter $'open/l\\xff' shut/letter open/fine; do echo "$file" >"$file"; done
chmod 600 open/l*; chmod 700 shut; chown -R ${user} .; cd /`;
                const command = `cat ${folder}/open/* ${folder}/shut/*; echo b >b.txt`;
                const [line] = outputs(place(), [command], { within });
                expect(line?.outcome.stdout).to.equal("open/fine\n");
                expect(line?.effects).to.deep.equal(["b.txt"]);
            });
        }

        it(`A command can raise neither the machine's limits nor its own place in the queue for memory, as ${who}`, () => {
            const before = readFileSync("/proc/sys/kernel/pid_max", "utf8");
            const [line] = outputs(place(), [
                "echo 500 >/proc/sys/kernel/pid_max; echo 0 >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj",
            ]);
            expect(line?.outcome.stdout).to.equal("1000\n");
            expect(readFileSync("/proc/sys/kernel/pid_max", "utf8")).to.equal(before);
        });

        it(`A project with an odd name, in an odd place, is visible there and nowhere else, as ${who}`, () => {
            for (const name of [
                "a,b:c",
                "back\\slash",
                "line\nbreak",
                "lowerdir=x #1",
                "blank\u00a0é",
            ]) {
                const made = place();
                const root = path.join(made.home, "code", name, "project");
                mkdirSync(path.dirname(root));
                renameSync(made.root, root);
                chownSync(path.dirname(root), user, user);
                const [line, next] = outputs(
                    made,
                    ["pwd; cat a.txt .env; echo b >b.txt", "ls ..; ls ~/code"],
                    { root }
                );
                expect(line?.outcome.stdout, line?.outcome.stderr).to.equal(`${root}\na\n`);
                expect(line?.effects).to.deep.equal(["b.txt"]);
                expect(next?.outcome.stdout.replaceAll("'", ""))
                    .to.contain("project\n")
                    .and.not.to.contain("neighbour");
            }
        });

        it(`A temporary folder inside the project holds nothing that a command reads, as ${who}`, () => {
            const made = place({ "home/code/project/tmp/x": "x\n" });
            const environment = { TMPDIR: path.join(made.root, "tmp") };
            const [line] = outputs(made, ["ls tmp; cat .env"], { environment });
            expect(line?.outcome.stdout).to.equal("x\n");
        });

        if (isRoot) {
            it(`It works with folders mounted as systemd mounts them, as ${who}`, () => {
                const [line] = outputs(
                    place(),
                    [
                        `ls /run/user 2>/dev/null; echo x >/dev/shm/x && echo shm; script -qc 'echo terminal' /dev/null; python3 -c 'import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1]), flush=True); p.terminate()'`,
                    ],
                    { within: SYSTEMD }
                );
                expect(line?.outcome.stdout.replace(/\r/g, ""), line?.outcome.stderr).to.equal(
                    "shm\nterminal\n[1]\n"
                );
            });

            it(`No program of the command runs in the supervisor's place, as ${who}`, () => {
                const tool = "/run/current-system/sw/bin/find";
                const [planted, proof] = outputs(
                    place(),
                    [
                        `mkdir -p ${path.dirname(tool)}; printf '#!/bin/sh\nid >/tmp/proof' >${tool} && chmod +x ${tool} && echo planted`,
                        "cat /tmp/proof",
                    ],
                    { within: PROGRAMS_IN_RUN }
                ).map(({ outcome }) => outcome.stdout);
                expect([planted, proof]).to.deep.equal(["planted\n", ""]);
            });

            it(`A second mount of HOME shows nothing, as ${who}`, () => {
                const made = place();
                const within = `mkdir -p ${made.top}/second /srv; mount --bind ${made.home} ${made.top}/second; mount --bind ${made.home} /srv`;
                const [line] = outputs(
                    made,
                    [
                        `cat ${made.top}/second/.ssh/id_rsa /srv/.ssh/id_rsa /srv/code/project/.env; ls ${made.top}/second /srv`,
                    ],
                    { within }
                );
                expect(line?.outcome.stdout).to.equal("");
            });

            it(`A project that is itself an overlay of that name is shown without its secrets, as ${who}`, () => {
                const made = place();
                const layers = path.join(made.top, "layers");
                mkdirSync(layers);
                cpSync(made.root, path.join(layers, "lower"), { recursive: true });
                const within = `mount -t tmpfs tmpfs ${layers}; mkdir ${layers}/{lower,upper,work}; cp -a ${made.root}/. ${layers}/lower; mount -t overlay -o lowerdir=${layers}/lower,upperdir=${layers}/upper,workdir=${layers}/work overlay ${made.root}`;
                const [line] = outputs(made, ["cat .env a.txt; echo b >b.txt"], { within });
                expect(line?.outcome.stdout).to.equal("a\n");
                expect(line?.effects).to.deep.equal(["b.txt"]);
            });

            it(`What is mounted below a shown folder is shown, piece by piece, as ${who}`, () => {
                const made = place({
                    "names/hosts": "127.0.0.1 here\n",
                    "names/tree/file": "deep\n",
                });
                const within = `mount --bind ${made.top}/names/hosts /etc/hosts; mount --bind ${made.top}/names/tree /etc/ssl`;
                const [line] = outputs(
                    made,
                    ["cat /etc/hosts /etc/ssl/file; test -e /etc/passwd && cat /etc/shadow"],
                    { within }
                );
                expect(line?.outcome.stdout).to.equal("127.0.0.1 here\ndeep\n");
            });
        }
    }

    it("Three hundred sockets, and one that appears while the command runs, are out of reach", async () => {
        const made = new WatchedPlace(process.getuid?.() ?? 0);
        const folder = path.join(made.home, ".cargo");
        const listen = `const net = require("net"); let up = 0;
            for (let i = 0; i < 300; i++) net.createServer((s) => s.end()).listen("${folder}/" + i, () => ++up === 300 && console.log("up"));
            setInterval(() => net.createServer((s) => s.end()).listen("${folder}/late" + up++), 100)`;
        const services = spawn(process.execPath, ["-e", listen], {
            stdio: ["ignore", "pipe", "ignore"],
        });
        try {
            await once(services.stdout, "data");
            const [line] = made.run([
                `${CONNECT} ${folder}/{0..299} ${folder}/late{300..330} | sort | uniq -c`,
            ]);
            expect(line?.outcome.stdout.trim()).to.equal("331 refused");
        } finally {
            services.kill("SIGKILL");
            made.remove();
        }
    });
});
