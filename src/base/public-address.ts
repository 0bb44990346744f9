import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { promisify } from "node:util";

export type AddressPolicy = (address: string) => boolean;
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(systemLookup);

/** Uses the system's resolver, like everything else on this machine. */
export const resolveHostBySystem: ResolveHost = (host) => lookupAll(host, { all: true });

// https://www.iana.org/assignments/iana-ipv4-special-registry
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
    ["0.0.0.0", 8], // this network, unspecified
    ["10.0.0.0", 8], // private
    ["100.64.0.0", 10], // carrier-grade NAT
    ["127.0.0.0", 8], // loopback
    ["168.63.129.16", 32], // Azure's platform service, which has a public number
    ["169.254.0.0", 16], // link-local, cloud metadata services
    ["172.16.0.0", 12], // private
    ["192.0.0.0", 24], // protocol assignments
    ["192.0.2.0", 24], // documentation
    ["192.88.99.0", 24], // 6to4 relays
    ["192.168.0.0", 16], // private
    ["198.18.0.0", 15], // benchmarks
    ["198.51.100.0", 24], // documentation
    ["203.0.113.0", 24], // documentation
    ["224.0.0.0", 4], // multicast
    ["240.0.0.0", 4], // reserved, broadcast
];

// https://www.iana.org/assignments/iana-ipv6-special-registry
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
    ["2001::", 23], // protocol assignments, Teredo
    ["2001:db8::", 32], // documentation
    ["2002::", 16], // 6to4: embeds an IPv4 address
    ["3fff::", 20], // documentation
];

const specialIpv4 = new BlockList();
const specialIpv6 = new BlockList();
const globalIpv6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(network, prefix, "ipv6");
// All allocated unicast addresses. Excludes loopback, unique local, link-local, multicast,
// IPv4-mapped and NAT64.
globalIpv6.addSubnet("2000::", 3, "ipv6");

/**
 * Whether an address is on the public internet; false for anything that is not an address, and for
 * this machine's own, at which its services listen.
 */
export const isPublicAddress: AddressPolicy = (address) => {
    switch (isIP(address)) {
        case 4:
            return !specialIpv4.check(address, "ipv4") && !isOwn(address, "ipv4");
        case 6:
            // A zone (`%eth0`) is valid only on this machine's links.
            if (address.includes("%")) return false;
            return (
                globalIpv6.check(address, "ipv6") &&
                !specialIpv6.check(address, "ipv6") &&
                !isOwn(address, "ipv6")
            );
        default:
            return false;
    }
};

/** Interfaces come and go. */
function isOwn(address: string, family: "ipv4" | "ipv6"): boolean {
    const own = new BlockList();
    for (const each of Object.values(networkInterfaces()).flat()) {
        if (each?.family.toLowerCase() === family) own.addAddress(each.address, family);
    }
    return own.check(address, family);
}
