#!/bin/busybox sh
# The guest's first process: loads the modules, shows the host's files read-only and runs one script from there.
# The kernel's command line says which: table.folder= (of the product), table.python=, table.run= (a module, "/" for "+").
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t sysfs sys /sys
$B mount -t devtmpfs dev /dev
for word in $($B cat /proc/cmdline); do
    case $word in
    table.folder=*) folder=${word#*=} ;;
    table.python=*) python=${word#*=} ;;
    table.run=*) run=${word#*=} ;;
    esac
done
for module in $($B cat /modules/order); do
    $B insmod "/modules/$module" || echo "module $module cannot be loaded"
done
$B mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host || echo "no files of the host"
# A tmpfs over the read-only host takes what is written.
$B mkdir -p /upper /root
$B mount -t tmpfs -o mode=755 upper /upper
$B mkdir /upper/changes /upper/work
$B mount -t overlay -o lowerdir=/host,upperdir=/upper/changes,workdir=/upper/work overlay /root || echo "no overlay"
for seen in proc sys dev; do
    $B mount --move /$seen /root/$seen
done
$B mount -t tmpfs -o mode=1777 tmp /root/tmp
$B mount -t tmpfs run /root/run
# gpiozero and rpi-lgpio ask which Raspberry Pi this is: a Pi 4.
$B sed '$a Revision\t: c04170' /root/proc/cpuinfo > /upper/cpuinfo
$B mount --bind /upper/cpuinfo /root/proc/cpuinfo
cd /root
$B chroot /root /bin/sh -c "cd $folder && HOME=/run PYTHONDONTWRITEBYTECODE=1 RPI_LGPIO_REVISION=c04170 RPI_LGPIO_CHIP=0 \
    exec $python -m $run >/dev/console 2>&1" || echo "the guest's part failed" > /root/dev/console
$B poweroff -f
