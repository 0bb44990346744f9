import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

import { ContainedProject, describeContained } from "./contained.js";
import { WatchedPlace } from "./watched-place.js";

const LIMITS = { memoryMb: 400, processes: 100, writtenMb: 20 };

/** Sends files in memory over sockets that nobody reads, and closes them; see sendmsg(2) and cmsg(3). */
const IN_TRANSIT = `use Socket; my $name = "m";
    my ($memfd, $send) = \`uname -m\` =~ /x86_64/ ? (319, 46) : (279, 211);
    for (1 .. 30) {
        open my $file, ">&=", my $descriptor = syscall($memfd, $name, 0);
        syswrite $file, "x" x (19 << 20);
        socketpair my $one, my $other, AF_UNIX, SOCK_STREAM, 0;
        push @kept, $one, $other;
        my ($data, $rights) = ("x", pack "Ql4", 20, 1, 1, $descriptor, 0);
        my $part = pack "PQ", $data, 1;
        my $message = pack "QQPQPQQ", 0, 0, $part, 1, $rights, 24, 0;
        syscall($send, fileno $one, $message, 0) == 1 or die $!;
    }
    sleep 50`;

describeContained("limits", () => {
    const make = () =>
        ContainedProject.make(
            { "bomb.sh": "bomb() { bomb | bomb & }; bomb; sleep 50\n" },
            { settings: { show: [], hide: [], limits: LIMITS } }
        );

    const tests: readonly (readonly [string, string, string])[] = [
        ["A fork bomb", "bash bomb.sh", "It needs more than 100 processes"],
        ["Endless output", "yes", "It needs to print more than 20 MB"],
        [
            "A command that fills the disk with small files",
            "for i in {1..100}; do head -c 1M /dev/zero >$i; done; sleep 50",
            "It needs to write more than 20 MB",
        ],
        [
            "A command whose processes together take too much memory",
            `for i in {1..6}; do node -e 'x = Buffer.alloc(9e7, 1); setTimeout(() => {}, 5e4)' & done; wait`,
            "It needs more than 400 MB of memory",
        ],
        [
            "A command that shares too much memory",
            `perl -e 'my $call = \`uname -m\` =~ /x86_64/ ? 9 : 222; syscall($call, 0, 600 << 20, 3, 0x8021, -1, 0); sleep 50'`,
            "It needs more than 400 MB of memory",
        ],
        [
            "A command that keeps too much in files in memory",
            `perl -e 'my ($call, $name) = (\`uname -m\` =~ /x86_64/ ? 319 : 279, "m"); for (1 .. 30) { open my $file, ">&=", syscall($call, $name, 0); syswrite $file, "x" x (19 << 20); push @kept, $file } sleep 50'`,
            "It needs more than 400 MB of memory",
        ],
        [
            "A command that keeps too much in files on their way between processes",
            `perl -e '${IN_TRANSIT}'`,
            "It may need more than 400 MB of memory: its sockets hold files, whose size cannot be measured",
        ],
        [
            "A command that fills temporary folders",
            "for i in 1 2; do head -c 15M /dev/zero >/tmp/$i; done; sleep 50",
            "It needs to write more than 20 MB",
        ],
        [
            "A command that fills folders in memory",
            "for file in /{run,dev/shm}/{1,2}; do head -c 15M /dev/zero >$file; done; sleep 50",
            "It needs to write more than 20 MB",
        ],
        [
            "A command that writes to deleted files",
            "for i in 1 2; do exec {file}>d; rm d; head -c 15M /dev/zero >&$file; done; sleep 50",
            "It needs to write more than 20 MB",
        ],
        [
            "A command that nests folders too deeply",
            "n=$(printf 'n%.0s' {1..200}); for i in {1..25}; do mkdir $n; cd $n; done; sleep 50",
            "It needs to write a path that is too long",
        ],
    ];
    for (const [what, command, need] of tests) {
        it(`${what} is ended by a limit, North says so, and none of its effects count`, async () => {
            const project = await make();
            const run = await project.run(command);
            expect(run.refusal).to.deep.equal({ what: "size", text: need });
            expect(run.outcome.exitCode).to.equal(137);
            expect(run.effects).to.deep.equal([]);
        });
    }

    it("No effect counts of a command for whose changes the disk had no room", function () {
        if (process.getuid?.() !== 0) this.skip();
        const place = new WatchedPlace(0);
        try {
            const within = `mount -t tmpfs -o size=12m tmpfs ${place.home}/data`;
            const commands = ["head -c 30M /dev/zero >big; ls", "echo small >fits"];
            const [cut, whole] = place.run(commands, { within });
            expect(cut?.outcome.exitCode).to.equal(0);
            expect(cut?.effects).to.deep.equal([]);
            expect(cut?.refusal).to.deep.equal({
                what: "size",
                text: "It needs more space for its changes than is left",
            });
            expect(whole?.effects).to.deep.equal(["fits"]);
        } finally {
            place.remove();
        }
    });

    const quick: readonly (readonly [string, string])[] = [
        ["its project", "for i in 1 2; do head -c 15M /dev/zero >$i; done"],
        ["ignored outputs", "mkdir dist; for i in 1 2; do head -c 15M /dev/zero >dist/$i; done"],
        ["temporary folders", "echo a >new; for i in 1 2; do head -c 15M /dev/zero >/tmp/$i; done"],
        [
            "folders in memory",
            "echo a >new; for i in 1 2; do head -c 15M /dev/zero >/dev/shm/$i; done",
        ],
    ];
    for (const [where, command] of quick) {
        it(`No effect counts of a command that wrote too much to ${where} and ended at once`, async () => {
            const project = await make();
            const { refusal, effects, outputs } = await project.run(command);
            expect(refusal).to.deep.equal({
                what: "size",
                text: "It needs to write more than 20 MB",
            });
            expect(effects).to.deep.equal([]);
            expect(outputs).to.deep.equal([]);
            const next = await project.run("cat /tmp/[12]; sleep 1.5; true");
            expect(next.refusal).to.equal(undefined);
        });
    }

    it("What go compiled is there for the next command, and a cache in HOME is used as it is", async () => {
        const project = await make();
        await project.run('mkdir -p "$GOCACHE" && echo compiled >"$GOCACHE/x"');
        const { outcome, effects } = await project.run('cat "$GOCACHE/x"');
        expect(outcome.stdout).to.equal("compiled\n");
        expect(effects).to.deep.equal([]);
        mkdirSync(path.join(project.home, ".cache/go-build"), { recursive: true });
        const { outcome: own } = await project.run('echo "${GOCACHE-none}"');
        expect(own.stdout).to.equal("none\n");
    });

    it("What a stopped command left in a temporary folder counts against no other one", async () => {
        const project = await make();
        await project.run("echo x >/tmp/kept");
        await project.run("for i in 1 2; do head -c 15M /dev/zero >/tmp/$i; done; sleep 50");
        const { outcome, refusal } = await project.run("cat /tmp/kept /tmp/[12]; sleep 1.5");
        expect(outcome.stdout).to.equal("x\n");
        expect(refusal).to.equal(undefined);
    });

    it("One process cannot take more memory than all may, nor write a larger file", async () => {
        const project = await make();
        const memory = await project.run(
            `node -e 'x = Buffer.alloc(9e8, 1); console.log("taken")'`
        );
        expect(memory.outcome.stdout).not.to.contain("taken");
        const file = await project.run("head -c 30M /dev/zero >large; stat -c %s large");
        expect(Number(file.outcome.stdout)).to.be.within(1, 20 * 1024 ** 2);
    });
});
