"""The data of the site: 600 pages, some of them private, and 300 images and documents."""

from io import BytesIO

from django.contrib.auth.models import Group, User
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction
from PIL import Image as Picture
from wagtail.documents.models import Document
from wagtail.images.models import Image
from wagtail.models import Page, PageViewRestriction

PAGES, FILES = 600, 300


def fill():
    call_command("migrate", verbosity=0)
    with transaction.atomic():
        _pages()
        _files()
    return {"pages": Page.objects.count()}


def _pages():
    group, _ = Group.objects.get_or_create(name="readers")
    for name in ("root", "limited", "nothing"):
        User.objects.get_or_create(username=name, defaults={"is_superuser": name == "root"})
    User.objects.get(username="limited").groups.add(group)
    home = Page.objects.get(depth=2)
    for number in range(home.get_children().count(), PAGES):
        page = home.add_child(instance=Page(title=f"Page {number}", slug=f"page-{number}"))
        _restrict(page, number, group)


def _restrict(page, number, group):
    """Make every tenth page private: some for the group, some for every user."""
    if number % 10 == 0:
        for_group = number % 20 == 0
        made = PageViewRestriction.objects.create(
            page=page, restriction_type="groups" if for_group else "login"
        )
        made.groups.set([group] if for_group else [])


def _files():
    drawn = BytesIO()
    Picture.new("RGB", (8, 8)).save(drawn, "PNG")
    for number in range(Image.objects.count(), FILES):
        picture = ContentFile(drawn.getvalue(), f"{number}.png")
        Image.objects.create(title=f"Image {number}", file=picture)
    for number in range(Document.objects.count(), FILES):
        text = ContentFile(b"text", f"{number}.txt")
        Document.objects.create(title=f"Document {number}", file=text)
