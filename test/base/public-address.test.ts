import { spawnSync } from "node:child_process";
import { expect } from "chai";
import fc from "fast-check";
import { isPublicAddress } from "../../src/base/public-address.js";

const refused: Readonly<Record<string, readonly string[]>> = {
    unspecified: ["0.0.0.0", "0.1.2.3", "::"],
    loopback: ["127.0.0.1", "127.255.255.254", "::1"],
    private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"],
    "a cloud's own": ["168.63.129.16"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    "shared by a provider": ["100.64.0.1", "100.127.255.255"],
    multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
    reserved: ["240.0.0.1", "255.255.255.255", "4000::1", "192.0.0.1", "198.18.0.1"],
    documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "IPv4 in IPv6": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8", "::127.0.0.1"],
    NAT64: ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
    "6to4 and Teredo": ["2002:7f00:1::1", "2001::1", "2001:0:1::"],
    "site-local": ["fec0::1"],
    "no address": ["", "localhost", "example.org", "2130706433", "0x7f.1", "127.1", "010.0.0.1"],
};

const allowed = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
];

describe("Public addresses", () => {
    for (const [kind, addresses] of Object.entries(refused)) {
        it(`An address that is ${kind} is not public`, () => {
            expect(addresses.filter(isPublicAddress)).to.deep.equal([]);
        });
    }

    it("Addresses next to the reserved ranges are public", () => {
        expect(allowed.filter((address) => !isPublicAddress(address))).to.deep.equal([]);
    });

    it("Reserved IPv4 addresses are refused in every IPv6 form", () => {
        const prefix = fc.constantFrom("::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:");
        fc.assert(
            fc.property(prefix, fc.ipV4(), (start, address) => {
                expect(isPublicAddress(`${start}${address}`)).to.equal(false);
            })
        );
    });

    it("10.0.0.0/8 is reserved, and 1.0.0.0/8 to 9.0.0.0/8 are public", () => {
        const part = fc.nat(255);
        const isInside = (first: number, rest: readonly number[]) =>
            isPublicAddress([first, ...rest].join("."));
        fc.assert(
            fc.property(
                fc.tuple(part, part, part),
                fc.constantFrom(0, 10, 127, 224, 255),
                (rest, first) => {
                    expect(isInside(first, rest)).to.equal(false);
                }
            )
        );
        fc.assert(
            fc.property(
                fc.tuple(part, part, part),
                fc.integer({ min: 1, max: 9 }),
                (rest, first) => {
                    expect(isInside(first, rest)).to.equal(true);
                }
            )
        );
    });

    it("A public address of this machine's own is not public, for its services listen there", function () {
        const own = ["8.8.4.4", "2600::1"];
        const program = `import { isPublicAddress } from "./src/base/public-address.ts";
console.log(JSON.stringify(${JSON.stringify([...own, ...allowed])}.filter(isPublicAddress)));`;
        const setup = own.map((address) => `ip address add ${address} dev lo`).join(" && ");
        const run = `ip link set lo up && ${setup} && exec "$@"`;
        const { stdout, stderr, status } = spawnSync(
            "unshare",
            [
                ...["--user", "--map-root-user", "--net", "bash", "-c", run, "-"],
                ...[process.execPath, "--import", "tsx", "--input-type=module", "-e", program],
            ],
            { encoding: "utf8" }
        );
        // Without namespaces a machine cannot be given addresses.
        if (status !== 0 && /unshare|ip|RTNETLINK/.test(stderr)) return this.skip();
        expect(JSON.parse(stdout), stderr).to.deep.equal(allowed);
    });
});
