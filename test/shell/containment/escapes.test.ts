import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

import { expect } from "chai";

import { describeContained } from "./contained.js";
import { usersToTry, WatchedPlace } from "./watched-place.js";

/** Commands of an attacker, with words that must not be in their output. */
function attempts(place: WatchedPlace, parent: number, port: number, socket: string): string[] {
    const { top, home, root } = place;
    return [
        `cat ${home}/.ssh/id_rsa`,
        `cat ${home}/code/neighbour/private.txt; ls ${home}/code`,
        `cat ${home}/.cargo/credentials.toml; ${home}/.cargo/bin/tool`,
        `cat ${home}/.config/north/credentials.json; find ${home}/data -type f | xargs cat`,
        `cat .env; cat < .env; cp .env e; cat e; dd if=.env; chmod 777 .env; cat .env`,
        `tar cf - . 2>/dev/null | strings | grep hunter`,
        `ln .env hard; cat hard; ln -s .env soft; cat soft; mv .env moved; cat moved`,
        `rm .env; cat .env; git checkout .env; ls -la .env`,
        `env; cat /proc/self/environ /proc/1/environ /proc/${parent}/environ | tr '\\0' '\\n'`,
        `cat /proc/1/root${home}/.ssh/id_rsa; ls -la /proc/1/fd /proc/1/cwd/`,
        `cat /proc/1/cwd/lower/.env; cat /proc/1/maps | head -1; cat /proc/self/mountinfo >/dev/null`,
        `kill -9 ${parent}; kill -9 1; kill -STOP 1; kill -9 -- -1`,
        `for p in $(seq 1 400); do kill -9 $p 2>/dev/null; done; echo alive`,
        `echo x >${top}/outside/file.txt; rm -f ${top}/outside/file.txt`,
        `echo x >>${home}/.bashrc; rm -f ${home}/.bashrc; mv ${home}/.ssh ${home}/s`,
        `ln -s ${top}/outside out; echo x >out/file.txt; rm -rf out/`,
        `ln ${top}/outside/file.txt hard2 && echo x >>hard2`,
        `cd ../../..; rm -rf outside; echo x >new; cd /; echo x >north-was-here`,
        `echo x >/etc/north-was-here; echo x >/usr/north-was-here; echo x >/var/tmp/../north`,
        `mount -o remount,rw /; echo x >/etc/north-was-here; umount ${root}; ls ${root}`,
        `mount --bind / /mnt; umount -l ${home}; cat ${home}/.ssh/id_rsa`,
        `unshare -Urm bash -c 'mount -o remount,rw,bind / ; echo x >/etc/north-was-here; umount -l ${home}; cat ${home}/.ssh/id_rsa'`,
        `unshare -Ur --mount-proc -pf cat /proc/1/environ; nsenter -t 1 -a cat ${home}/.ssh/id_rsa`,
        `mknod disk b 254 0; cat disk | head -c 10; mknod m c 1 1; head -c 10 m; ls /dev`,
        `for d in /dev/vda /dev/sda /dev/mem /dev/kmem /dev/kmsg; do head -c 16 $d; done`,
        `echo 1 >/proc/sys/kernel/sysrq; echo b >/proc/sysrq-trigger; echo '|/bin/true' >/proc/sys/kernel/core_pattern`,
        `echo x >/sys/kernel/mm/transparent_hugepage/enabled; echo 1 >/sys/power/state`,
        `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`,
        `exec 3<>/dev/tcp/192.0.2.1/80; ping -c1 192.0.2.1; ip route; ip link set eth0 up`,
        `node -e 'require("net").connect("${socket}").on("data",(d)=>console.log(String(d))).on("error",(e)=>console.log(e.code))'`,
        `node -e 'require("net").connect("\\0north-abstract").on("data",(d)=>console.log(String(d))).on("error",(e)=>console.log(e.code))'`,
        `ls /run /var/run /tmp; echo x >/tmp/north-was-here; cat ${top}/outside/file.txt >/dev/null`,
        `echo '#!/bin/sh' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.pager evil`,
        `mkdir -p sub && cd sub && git init -q . && echo x >.git/hooks/post-checkout`,
        `chmod u+s a.txt; cp /bin/bash shell; chmod 4755 shell; ./shell -p -c id`,
        `sudo id; su -c id; pkexec id; newgrp root </dev/null`,
        `setsid sh -c 'sleep 987.5; echo x >${top}/outside/late' & nohup sleep 987.5 &`,
        `exec 9>&3; echo x >&3; echo x >&4; ls -la /proc/self/fd; printf '\\0exited\\0000\\0' >&3`,
        `cat /run/north/*; echo '\\0' >/run/north/left; ln -sf ${home}/.ssh/id_rsa /run/north/left; rm -rf /run/north`,
        `python3 -c 'import ctypes; print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))'; gdb -p 1 -batch </dev/null`,
        `keyctl show; ipcs -m | grep -c 0x; ipcmk -M 100; hostname north-was-here`,
        `dmesg | head -1; reboot -f; swapoff -a; insmod x; chroot / true && echo chrooted`,
    ];
}

describeContained("escapes", () => {
    for (const user of usersToTry()) {
        const who = user === 0 ? "root" : `user ${user}`;
        it(`No command of an attacker has an effect or reads what is hidden, as ${who}`, async function () {
            this.timeout(180_000);
            const place = new WatchedPlace(user);
            const server = createServer((socket) => socket.end("hunter2"));
            server.listen(0, "127.0.0.1");
            await once(server, "listening");
            const address = server.address();
            const port = typeof address === "object" && address ? address.port : 0;
            const socket = path.join(place.top, "outside/service.sock");
            const helper = spawn(process.execPath, [
                "-e",
                `for (const at of ["${socket}", "\\0north-abstract"]) require("net").createServer((s) => s.end("hunter2")).listen(at, () => console.log("up"))`,
            ]);
            await once(helper.stdout, "data");
            chmodSync(socket, 0o777);
            try {
                const before = place.hash();
                const commands = attempts(place, process.pid, port, socket);
                expect(commands.length).to.be.greaterThan(30);
                // On a loopback that must not be reachable, hence not by a synchronous child.
                const results = place.run(commands);
                const leaks = results.filter(({ outcome }) =>
                    /hunter/.test(outcome.stdout + outcome.stderr)
                );
                expect(leaks.map(({ command }) => command)).to.deep.equal([]);
                expect(place.hash().filter((line) => !before.includes(line))).to.deep.equal([]);
                expect(place.hash().length).to.equal(before.length);
                for (const trace of ["/etc", "/usr", "/", "/tmp"]) {
                    expect(spawnSync("ls", [path.join(trace, "north-was-here")]).status).to.equal(
                        2
                    );
                }
                const processes = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" });
                expect(processes).not.to.contain("sleep 987.5");
                expect(helper.exitCode).to.equal(null);
                process.stdout.write(`    ${results.length} escapes tried as ${who}\n`);
            } finally {
                helper.kill("SIGKILL");
                server.close();
                place.remove();
            }
        });
    }
});
