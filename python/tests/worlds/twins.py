"""All embedded scenes, built up in Python."""

import twins_bow
import twins_contact
import twins_free
import twins_patch

TWINS = twins_free.TWINS | twins_contact.TWINS | twins_patch.TWINS | twins_bow.TWINS
