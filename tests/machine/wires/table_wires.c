// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The table's wires as a Raspberry Pi's GPIO controller.
 *
 * An HX711 hangs on two lines and answers the clock pin at once (HX711 datasheet, Avia Semiconductor). Every other
 * line is an input that is pulled up, whose edges user space schedules to the microsecond, or an output.
 * All that a test needs to know lies in /sys/module/table_wires/parameters.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/random.h>
#include <linux/regulator/driver.h>
#include <linux/regulator/machine.h>
#include <linux/version.h>

#define LABEL "pinctrl-bcm2711" /* by this name rpi-lgpio and gpiozero know the header of a Pi 4 */
#define LINES 58 /* as many as a BCM2711 has */
#define MOST_EDGES 32
#define POWER_DOWN_NS 60000
#define SETTLING_CONVERSIONS 4

static int dout = 5;
module_param(dout, int, 0444);
static int sck = 6;
module_param(sck, int, 0444);
static int rate = 10;
module_param(rate, int, 0644);
MODULE_PARM_DESC(rate, "conversions a second, 10 or 80");
static int counts = 84000;
module_param(counts, int, 0644);
MODULE_PARM_DESC(counts, "what the chip converts");
static int noise;
module_param(noise, int, 0644);
MODULE_PARM_DESC(noise, "standard deviation of what it adds, in counts");
static bool sequence;
module_param(sequence, bool, 0644);
MODULE_PARM_DESC(sequence, "convert numbers that never repeat instead");
static int call_ns;
module_param(call_ns, int, 0644);
MODULE_PARM_DESC(call_ns, "what each read or write of a line costs beside the kernel's own work");

static int data_line;
module_param(data_line, int, 0644);
MODULE_PARM_DESC(data_line, "0: the chip's, 1: cut off and pulled up, 2: shorted to ground");

static ulong conversions, frames, power_downs, longest_high_ns;
module_param(conversions, ulong, 0444);
module_param(frames, ulong, 0444);
module_param(power_downs, ulong, 0444);
module_param(longest_high_ns, ulong, 0644);

static DEFINE_RAW_SPINLOCK(lock); /* of all that follows */
static DECLARE_BITMAP(level, LINES);
static DECLARE_BITMAP(listened, LINES);
static DECLARE_BITMAP(rising, LINES);
static DECLARE_BITMAP(falling, LINES);

/* the HX711 */
static u32 word;      /* the conversion that is being offered or shifted out */
static int pulses;    /* clock pulses since it was offered */
static bool ready;    /* DOUT is low until the first pulse */
static int settling;  /* conversions until the first valid one after power-up */
static u64 raised_ns; /* when the clock pin rose */
static struct hrtimer converter;

/* the other lines */
static struct { u64 at_ns; int line, level; u64 made_ns; } edges[MOST_EDGES];
static int edges_known, edges_made;
static struct hrtimer edge_maker;
static u64 edges_from_ns;

static struct gpio_chip chip;

static bool asleep(void)
{
	return test_bit(sck, level) && ktime_get_ns() - raised_ns > POWER_DOWN_NS;
}

static void power_up(void)
{
	ready = false;
	pulses = 0;
	settling = SETTLING_CONVERSIONS;
	hrtimer_start(&converter, ns_to_ktime(NSEC_PER_SEC / rate), HRTIMER_MODE_REL);
}

static s32 converted(void)
{
	s64 bits = 0;

	if (sequence) {
		u64 number = (u64)conversions * 7654321 + 12345;

		return (s32)do_div(number, 16000000) - 8000000;
	}
	if (noise) {
		bits = (s64)hweight32(get_random_u32()) - 16; /* sqrt(8) is its standard deviation */
		bits = div_s64(bits * noise * 1000, 2828);
	}
	return counts + (s32)bits;
}

static enum hrtimer_restart conversion_ended(struct hrtimer *timer)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_SEC / rate));
	if (!asleep() && (settling == 0 || --settling == 0)) {
		conversions++;
		word = (u32)converted() & 0xffffff;
		/* The datasheet is silent about a frame that is under way. The worst: it goes on with the new word. */
		if (pulses == 0 || pulses > 24) {
			pulses = 0;
			ready = true;
		}
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return HRTIMER_RESTART;
}

static void clock_rose(void)
{
	raised_ns = ktime_get_ns();
	if (ready || pulses)
		pulses++;
	ready = false;
	if (pulses == 25)
		frames++;
}

static void clock_fell(void)
{
	u64 high_ns = ktime_get_ns() - raised_ns;

	if (high_ns <= POWER_DOWN_NS) {
		if (high_ns > longest_high_ns)
			longest_high_ns = high_ns;
		return;
	}
	power_downs++;
	power_up();
}

static int data_level(void)
{
	if (data_line)
		return data_line == 1;
	if (asleep())
		return 1;
	if (pulses == 0)
		return !ready;
	return pulses <= 24 ? (word >> (24 - pulses)) & 1 : 1;
}

static int read_line(struct gpio_chip *gc, unsigned int line)
{
	unsigned long flags;
	int high;

	if (call_ns)
		ndelay(call_ns);
	raw_spin_lock_irqsave(&lock, flags);
	high = line == dout ? data_level() : test_bit(line, level);
	raw_spin_unlock_irqrestore(&lock, flags);
	return high;
}

static void write_line(unsigned int line, int high)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	if (test_bit(line, level) != !!high) {
		__assign_bit(line, level, high);
		if (line == sck && high)
			clock_rose();
		else if (line == sck)
			clock_fell();
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	if (call_ns)
		ndelay(call_ns);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
static int set_line(struct gpio_chip *gc, unsigned int line, int high)
{
	write_line(line, high);
	return 0;
}
#else
static void set_line(struct gpio_chip *gc, unsigned int line, int high)
{
	write_line(line, high);
}
#endif

static int make_input(struct gpio_chip *gc, unsigned int line)
{
	return 0;
}

static int make_output(struct gpio_chip *gc, unsigned int line, int high)
{
	write_line(line, high);
	return 0;
}

static int set_config(struct gpio_chip *gc, unsigned int line, unsigned long config)
{
	return 0; /* pulls, as every pad has them */
}

static void mask(struct irq_data *data)
{
	clear_bit(irqd_to_hwirq(data), listened);
	gpiochip_disable_irq(irq_data_get_irq_chip_data(data), irqd_to_hwirq(data));
}

static void unmask(struct irq_data *data)
{
	gpiochip_enable_irq(irq_data_get_irq_chip_data(data), irqd_to_hwirq(data));
	set_bit(irqd_to_hwirq(data), listened);
}

static int set_type(struct irq_data *data, unsigned int type)
{
	assign_bit(irqd_to_hwirq(data), rising, type & IRQ_TYPE_EDGE_RISING);
	assign_bit(irqd_to_hwirq(data), falling, type & IRQ_TYPE_EDGE_FALLING);
	return 0;
}

static const struct irq_chip interrupts = {
	.name = "table_wires",
	.irq_mask = mask,
	.irq_unmask = unmask,
	.irq_set_type = set_type,
	.flags = IRQCHIP_IMMUTABLE,
	GPIOCHIP_IRQ_RESOURCE_HELPERS,
};

static enum hrtimer_restart edge_due(struct hrtimer *timer)
{
	while (edges_made < edges_known) {
		int line = edges[edges_made].line, high = edges[edges_made].level;
		u64 at_ns = edges_from_ns + edges[edges_made].at_ns;

		if (ktime_get_ns() < at_ns) {
			hrtimer_set_expires(timer, ns_to_ktime(at_ns));
			return HRTIMER_RESTART;
		}
		if (test_bit(line, level) != high) {
			assign_bit(line, level, high);
			edges[edges_made].made_ns = ktime_get_ns();
			if (test_bit(line, listened) && test_bit(line, high ? rising : falling))
				generic_handle_domain_irq(chip.irq.domain, line);
		}
		edges_made++;
	}
	return HRTIMER_NORESTART;
}

/*
 * "2000:17:0 9000:17:1": 2 ms from now line 17 falls, 9 ms from now it rises. In order of time.
 * "@1500000000 2000:17:0": the same, counted from 1.5 s on CLOCK_MONOTONIC.
 */
static int schedule_edges(const char *text, const struct kernel_param *param)
{
	unsigned int at_us, line, high;
	u64 from_ns = ktime_get_ns();
	int read = 0, known = 0;

	hrtimer_cancel(&edge_maker);
	edges_known = edges_made = 0;
	if (sscanf(text, " @%llu%n", &from_ns, &read) == 1)
		text += read;
	while (sscanf(text, " %u:%u:%u%n", &at_us, &line, &high, &read) == 3) {
		if (known == MOST_EDGES || line >= LINES || high > 1)
			return -EINVAL;
		edges[known].at_ns = (u64)at_us * 1000;
		edges[known].line = line;
		edges[known].level = high;
		edges[known++].made_ns = 0;
		text += read;
	}
	edges_known = known;
	edges_from_ns = from_ns;
	hrtimer_start(&edge_maker, ns_to_ktime(edges_from_ns + edges[0].at_ns), HRTIMER_MODE_ABS);
	return known ? 0 : -EINVAL;
}

/* One edge a line: "line level second", the second on CLOCK_MONOTONIC; as far as they were made. */
static int tell_edges(char *text, const struct kernel_param *param)
{
	int length = 0, edge;

	for (edge = 0; edge < edges_made; edge++)
		length += scnprintf(text + length, PAGE_SIZE - length, "%d %d %llu.%09llu\n", edges[edge].line,
				    edges[edge].level, edges[edge].made_ns / NSEC_PER_SEC,
				    edges[edge].made_ns % NSEC_PER_SEC);
	return length;
}

static const struct kernel_param_ops edge_ops = { .set = schedule_edges, .get = tell_edges };
module_param_cb(edges, &edge_ops, NULL, 0644);

/* The kernel stops for good: no interrupt, no thread, no tick. Only a watchdog outside it can help. */
static int hang(const char *text, const struct kernel_param *param)
{
	local_irq_disable();
	for (;;)
		halt();
	return 0;
}

static const struct kernel_param_ops hang_ops = { .set = hang };
module_param_cb(hang, &hang_ops, NULL, 0200);

/*
 * The kernel's own HX711 driver takes the two lines when this is 1, and gives them back when it is 0. A device tree
 * says the same by an overlay. It wants to know the supply's voltage.
 */
static struct gpiod_lookup_table *scale_lines;
static struct regulator_consumer_supply scale_supply[] = { REGULATOR_SUPPLY("avdd", "hx711-gpio") };
static const struct regulator_init_data supply_data = {
	.consumer_supplies = scale_supply,
	.num_consumer_supplies = ARRAY_SIZE(scale_supply),
};
static const struct regulator_ops supply_ops = { };
static const struct regulator_desc supply = {
	.name = "table_avdd", .id = -1, .type = REGULATOR_VOLTAGE, .owner = THIS_MODULE,
	.ops = &supply_ops, .n_voltages = 1, .fixed_uV = 4300000,
};
static struct platform_device *supply_device, *scale_device;
static struct regulator_dev *supplied;

static int plug_supply_in(void)
{
	struct regulator_config config = { .init_data = &supply_data };

	supply_device = platform_device_register_simple("table_avdd", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(supply_device))
		return PTR_ERR(supply_device);
	config.dev = &supply_device->dev;
	supplied = regulator_register(config.dev, &supply, &config);
	if (!IS_ERR(supplied))
		return 0;
	platform_device_unregister(supply_device);
	return PTR_ERR(supplied);
}

static void take_from_kernel(void)
{
	platform_device_unregister(scale_device);
	scale_device = NULL;
	gpiod_remove_lookup_table(scale_lines);
	kfree(scale_lines);
	regulator_unregister(supplied);
	platform_device_unregister(supply_device);
}

static int give_to_kernel(const char *text, const struct kernel_param *param)
{
	bool give;
	int failed = kstrtobool(text, &give);

	if (failed || give == !!scale_device)
		return failed;
	if (!give) {
		take_from_kernel();
		return 0;
	}
	scale_lines = kzalloc(struct_size(scale_lines, table, 3), GFP_KERNEL);
	if (!scale_lines)
		return -ENOMEM;
	failed = plug_supply_in();
	if (failed) {
		kfree(scale_lines);
		return failed;
	}
	scale_lines->dev_id = "hx711-gpio";
	scale_lines->table[0] = GPIO_LOOKUP(LABEL, dout, "dout", GPIO_ACTIVE_HIGH);
	scale_lines->table[1] = GPIO_LOOKUP(LABEL, sck, "sck", GPIO_ACTIVE_HIGH);
	gpiod_add_lookup_table(scale_lines);
	scale_device = platform_device_register_simple("hx711-gpio", PLATFORM_DEVID_NONE, NULL, 0);
	if (!IS_ERR(scale_device))
		return 0;
	failed = PTR_ERR(scale_device);
	take_from_kernel();
	return failed;
}

static const struct kernel_param_ops scale_ops = { .set = give_to_kernel };
module_param_cb(kernel_scale, &scale_ops, NULL, 0200);

static void prepare_timer(struct hrtimer *timer, enum hrtimer_restart (*call)(struct hrtimer *), enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, call, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = call;
#endif
}

static int __init plug_in(void)
{
	int failed;

	if (rate <= 0 || dout < 0 || dout >= LINES || sck < 0 || sck >= LINES || dout == sck)
		return -EINVAL;
	bitmap_fill(level, LINES);
	clear_bit(sck, level);
	prepare_timer(&converter, conversion_ended, HRTIMER_MODE_REL);
	prepare_timer(&edge_maker, edge_due, HRTIMER_MODE_ABS);
	chip.label = LABEL;
	chip.owner = THIS_MODULE;
	chip.base = -1;
	chip.ngpio = LINES;
	chip.get = read_line;
	chip.set = set_line;
	chip.direction_input = make_input;
	chip.direction_output = make_output;
	chip.set_config = set_config;
	gpio_irq_chip_set_chip(&chip.irq, &interrupts);
	chip.irq.handler = handle_simple_irq;
	chip.irq.default_type = IRQ_TYPE_NONE;
	failed = gpiochip_add_data(&chip, NULL);
	if (failed)
		return failed;
	power_up();
	return 0;
}

static void __exit pull_out(void)
{
	if (scale_device)
		take_from_kernel();
	gpiochip_remove(&chip);
	hrtimer_cancel(&converter);
	hrtimer_cancel(&edge_maker);
}

module_init(plug_in);
module_exit(pull_out);
MODULE_DESCRIPTION("the wires of Smugglers' Table");
MODULE_LICENSE("Dual MIT/GPL");
