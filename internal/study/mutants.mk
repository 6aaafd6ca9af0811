# Builds a program of a mutant, by the guests' rules. TREE has the files of
# LIBRARY that differ from the original's, or include one that does. All else is
# compiled once, in RIGHT. build.go calls it.

include $(PEBBLES)/pebbles.mk

SOURCES := $(notdir $(wildcard $(PEBBLES)/$(LIBRARY)/*.[cS]))
OWN := $(filter $(SOURCES),$(notdir $(wildcard $(TREE)/*.[cS])))
OTHERS := $(filter-out $(OWN),$(SOURCES))
OBJECTS = $(RIGHT)/test-$(TEST).o $(OWN:%=$(TREE)/%.o) $(OTHERS:%=$(RIGHT)/%.o) \
	$(patsubst %,$(RIGHT)/runtime-%.o,$(notdir $(RUNTIME)))
INCLUDE = -I$(TREE) -I$(PEBBLES)/$(LIBRARY)

$(TREE)/$(LIBRARY)-$(TEST): $(OBJECTS)
	$(LINK.o) -o $@.new $^ && mv $@.new $@

$(RIGHT)/test-%.o: $(PEBBLES)/tests/%.c
	$(CC) -c $(CFLAGS) $(INCLUDE) -o $@ $<

$(TREE)/%.c.o: $(TREE)/%.c
	$(CC) -c $(CFLAGS) $(INCLUDE) -o $@ $<

$(RIGHT)/%.o: $(PEBBLES)/$(LIBRARY)/%
	$(CC) -c $(CFLAGS) $(INCLUDE) -o $@ $<

$(RIGHT)/runtime-%.o: $(PEBBLES)/runtime/%
	$(CC) -c $(CFLAGS) $(INCLUDE) -o $@ $<
