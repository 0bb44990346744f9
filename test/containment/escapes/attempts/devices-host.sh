# Disks and memory of the machine cannot be opened.
# Source: the first attacks
# Escape: a device is read
# Forbidden: read a device
for device in /dev/vda /dev/sda /dev/nvme0n1 /dev/dm-0 /dev/mem /dev/kmem /dev/kmsg /dev/port /dev/fuse; do
    head -c 16 "$device" >/dev/null && echo read a device
done
